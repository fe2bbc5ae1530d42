import { randomInt } from 'node:crypto';
import { type ListedExit, TYPES } from './exits-file.js';

const COUNTRIES: Record<string, readonly string[]> = {
  br: ['America/Sao_Paulo', 'America/Manaus', 'America/Recife'],
  de: ['Europe/Berlin'],
  fr: ['Europe/Paris'],
  gb: ['Europe/London'],
  in: ['Asia/Kolkata'],
  jp: ['Asia/Tokyo'],
  us: ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
};

/** Without EXITS_FILE: traffic leaves straight from the host, for all types and countries. */
export const SIMULATED_EXITS: readonly ListedExit[] = TYPES.flatMap((type) =>
  Object.entries(COUNTRIES).map(([country, timezones]) => ({
    type,
    country,
    timezones,
    ...(type !== 'direct' && { rotate: 'simulated' as const }),
  })),
);

/** An address, other than `before`, of the blocks that RFC 5737 sets aside for documentation, so it belongs to no real host. */
export function simulatedAddress(before?: string): string {
  const block = ['192.0.2', '198.51.100', '203.0.113'][randomInt(3)] ?? '192.0.2';
  const address = `${block}.${randomInt(1, 255)}`;
  return address === before ? simulatedAddress(before) : address;
}
