import { randomInt } from 'node:crypto';
import { ApiError } from '../../kit/errors.js';
import type { PhoneExit } from '../../phone/driver.js';

/** What kinds of exits there are, and where. */
export interface ExitProvider {
  options(): readonly ExitOption[];
  /** An exit as chosen; throws bad_request when it is not on offer. */
  allocate(choice: { type: string; country: string; timezone?: string }): PhoneExit;
}

export interface ExitOption {
  type: 'mobile' | 'residential' | 'datacenter' | 'direct';
  country: string;
  /** IANA names; the first is the default. */
  timezones: readonly string[];
  rotates: boolean;
}

const countries: Record<string, readonly string[]> = {
  br: ['America/Sao_Paulo', 'America/Manaus', 'America/Recife'],
  de: ['Europe/Berlin'],
  fr: ['Europe/Paris'],
  gb: ['Europe/London'],
  in: ['Asia/Kolkata'],
  jp: ['Asia/Tokyo'],
  us: ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
};

/**
 * Exits for simulated phones: their traffic leaves straight from the host, and the address is one of the blocks that RFC 5737
 * sets aside for documentation, so it is plainly nobody's.
 */
export function simulatedExits(): ExitProvider {
  const options = (['mobile', 'residential', 'datacenter', 'direct'] as const).flatMap((type) =>
    Object.entries(countries).map(([country, timezones]) => ({ type, country, timezones, rotates: type !== 'direct' })),
  );
  return {
    options: () => options,
    allocate: (choice) => {
      const option = findOption(options, choice);
      const timezone = choice.timezone ?? option.timezones[0] ?? 'UTC';
      if (!option.timezones.includes(timezone)) {
        throw new ApiError(
          'bad_request',
          `network.timezone: "${timezone}" is not one of ${option.timezones.join(', ')}`,
        );
      }
      const block = ['192.0.2', '198.51.100', '203.0.113'][randomInt(3)] ?? '192.0.2';
      return { type: option.type, country: option.country, timezone, address: `${block}.${randomInt(1, 255)}` };
    },
  };
}

function findOption(options: readonly ExitOption[], { type, country }: { type: string; country: string }): ExitOption {
  const ofType = options.filter((option) => option.type === type);
  const found = ofType.find((option) => option.country === country);
  if (found !== undefined) return found;
  const allowed = ofType.map((option) => option.country).join(', ');
  throw new ApiError(
    'bad_request',
    `network.country: "${country}" is not on offer for ${type}; on offer are ${allowed}`,
  );
}
