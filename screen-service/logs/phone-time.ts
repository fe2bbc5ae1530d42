const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Zones change their clocks by multiples of it. */
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A phone's clock: its time, its present offset from UTC, and its zone. */
export interface PhoneClock {
  nowMs: number;
  offsetMs: number;
  /** IANA name of the zone; undefined when the phone has no zone, or one that this machine does not know. */
  zone: string | undefined;
}

/** Prints the two lines that `parsePhoneClock` reads. */
export const PHONE_CLOCK_COMMAND = "date '+%s %z'; getprop persist.sys.timezone";

/** Parses `1700000000 +0100` and `Europe/Paris`. Returns undefined when the first line has another form. */
export function parsePhoneClock(dateLine: string, zoneLine: string): PhoneClock | undefined {
  const match = /^(\d{1,11}) ([+-])(\d\d):?(\d\d)$/.exec(dateLine.trim());
  if (match === null) return undefined;
  const [, seconds, sign, hours, minutes] = match;
  const offsetMs = (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
  return { nowMs: Number(seconds) * 1000, offsetMs, zone: knownZone(zoneLine.trim()) };
}

/**
 * Turns the local times of a log (`MM-DD HH:MM:SS.mmm`, without year and zone) into times since the epoch. The year is the present one, or
 * the one before for a line that would lie more than a day in the future. One hour happens twice when summer time ends. For its times, this
 * returns the later instant, unless the phone's clock has not come to it. `elapsedMs` returns how long ago the phone had the clock's time:
 * a log may be followed for months.
 */
export function localTimes(
  { nowMs, offsetMs, zone }: PhoneClock,
  elapsedMs: () => number,
): (month: number, day: number, msOfDay: number) => number {
  const offsetsAt = zone === undefined ? undefined : zoneOffsets(zone);
  /** Offsets by quarter of an hour of local time: asking Intl for every line would cost more than all else. */
  const known = new Map<number, Offsets>();
  return (month, day, msOfDay) => {
    const presentMs = nowMs + elapsedMs();
    const localNow = new Date(presentMs + offsetMs);
    const year = localNow.getUTCFullYear();
    let local = Date.UTC(year, month - 1, day) + msOfDay;
    if (local > localNow.getTime() + DAY_MS) local = Date.UTC(year - 1, month - 1, day) + msOfDay;
    if (offsetsAt === undefined) return local - offsetMs;
    const quarter = Math.floor(local / QUARTER_MS);
    let offsets = known.get(quarter);
    if (offsets === undefined) known.set(quarter, (offsets = offsetsAt(quarter * QUARTER_MS)));
    const later = local - offsets.late;
    return later > presentMs ? local - offsets.early : later;
  };
}

/** The offsets that a zone may have at a local time, ms: those of the earlier and the later instant. Nearly always they are the same. */
interface Offsets {
  early: number;
  late: number;
}

function knownZone(name: string): string | undefined {
  if (name === '') return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // The zone tables of this machine lack the name, so the present offset is used.
  }
}

/** Returns a function that has the offsets of a zone at the local time `local` (written as if it were UTC). */
function zoneOffsets(zone: string): (local: number) => Offsets {
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
  return (local) => {
    // The clock is changed at most once within two days. So one of these offsets holds at the local time, or both do in the hour that
    // happens twice, or neither in the hour that is left out.
    const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)];
    const holds = (offset: number): boolean => offsetAt(local - offset) === offset;
    if (!holds(after)) return { early: before, late: before };
    return holds(before) ? { early: before, late: after } : { early: after, late: after };
  };
}
