const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A phone's clock: its time, its present offset from UTC, and its zone. */
export interface PhoneClock {
  nowMs: number;
  offsetMs: number;
  /** IANA name; undefined when it has none that we know. */
  zone: string | undefined;
}

/** Prints the two lines that `parsePhoneClock` reads. */
export const PHONE_CLOCK_COMMAND = "date '+%s %z'; getprop persist.sys.timezone";

/** `1700000000 +0100` and `Europe/Paris`. Undefined when the first line is something else. */
export function parsePhoneClock(dateLine: string, zoneLine: string): PhoneClock | undefined {
  const match = /^(\d{1,11}) ([+-])(\d\d):?(\d\d)$/.exec(dateLine.trim());
  if (match === null) return undefined;
  const [, seconds, sign, hours, minutes] = match;
  const offsetMs = (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
  return { nowMs: Number(seconds) * 1000, offsetMs, zone: knownZone(zoneLine.trim()) };
}

/**
 * Turns the local times of a log (`MM-DD HH:MM:SS.mmm`, without year and zone) into times since the epoch. The year is the latest
 * one that does not put the line into the future. In the hour that happens twice when summer time ends, the later one is taken.
 */
export function localTimes(clock: PhoneClock): (month: number, day: number, msOfDay: number) => number {
  const localNow = new Date(clock.nowMs + clock.offsetMs);
  const year = localNow.getUTCFullYear();
  /** Offsets by hour of local time: asking Intl for every line would cost more than all else. */
  const offsets = new Map<number, number>();
  return (month, day, msOfDay) => {
    let local = Date.UTC(year, month - 1, day) + msOfDay;
    if (local > localNow.getTime() + DAY_MS) local = Date.UTC(year - 1, month - 1, day) + msOfDay;
    const hour = Math.floor(local / HOUR_MS);
    let offset = offsets.get(hour);
    if (offset === undefined) {
      offset = clock.zone === undefined ? clock.offsetMs : zoneOffset(clock.zone, local);
      offsets.set(hour, offset);
    }
    return local - offset;
  };
}

function knownZone(name: string): string | undefined {
  if (name === '') return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // This machine's zone tables lack the name: the present offset is used.
  }
}

/** Offset of the zone at the local time `local` (written as if it were UTC), ms. */
function zoneOffset(zone: string, local: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const offsetAt = (utc: number): number => {
    const parts = new Map(format.formatToParts(utc).map(({ type, value }) => [type, Number(value)]));
    const part = (type: string): number => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return shown - Math.floor(utc / 1000) * 1000;
  };
  // The offset depends on the instant, which depends on the offset: the second look has it right but for an hour a year.
  return offsetAt(local - offsetAt(local));
}
