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

/** The exits of simulated phones without EXITS_FILE. With all of them, traffic leaves straight from the host. */
export const SIMULATED_EXITS: readonly ListedExit[] = TYPES.flatMap((type) =>
  Object.entries(COUNTRIES).map(([country, timezones]) => ({
    type,
    country,
    timezones,
    ...(type !== 'direct' && { rotate: 'simulated' as const }),
  })),
);

/** The blocks that RFC 5737 reserves for documentation. */
const BLOCKS = ['192.0.2', '198.51.100', '203.0.113'] as const;

/**
 * Returns an address other than `before`. It is from the blocks that RFC 5737 reserves for documentation, so it belongs to no real host.
 */
export function simulatedAddress(before?: string): string {
  const block = BLOCKS[randomInt(BLOCKS.length)] ?? BLOCKS[0];
  const address = `${block}.${randomInt(1, 255)}`;
  return address === before ? simulatedAddress(before) : address;
}

/** Returns whether `simulatedAddress` may have invented the address: no real exit has one of these. */
export function isSimulatedAddress(address: string): boolean {
  return BLOCKS.some((block) => address.startsWith(`${block}.`));
}
