/** A time of the day or of a stopwatch, as 8:41, 08:41:22 or 00:12.34; else a number alone. */
const TIME_OR_NUMBER =
  /(?<![\d:.,])(?:(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?:[.,](\d{1,3}))?|(\d{1,5}))(?![\d:]|[.,]\d)/g;

/** Most characters of a text that may be a counter. */
const MAX_COUNTER_CHARS = 100;

/** A time of the day without seconds. */
const CLOCK = /(?<![\d:.,])(\d{1,2}):([0-5]\d)(?:\s?[ap]\.?m\.?)?(?![\d:]|[.,]\d)/gi;

/** How far a counter may be from the pace of time between two readings, s, as each reading may be late. */
const PACE_S = 1.5;

/** A clock without seconds is read up to this much late or early, s. */
const LATE_S = 5;

const HOUR_S = 3_600;
const HALF_DAY_S = 12 * HOUR_S;

/**
 * Whether two texts differ only in numbers that went on or back at the pace of time, as on a stopwatch or a timer. Two departures may
 * differ in the same way by chance. So a text is a counter only once it was seen to go on twice.
 */
export function wentOnAtPace(before: string, now: string, passedMs: number): boolean {
  if (before === now || before.length > MAX_COUNTER_CHARS || now.length > MAX_COUNTER_CHARS) return false;
  if (before.replaceAll(TIME_OR_NUMBER, '#') !== now.replaceAll(TIME_OR_NUMBER, '#')) return false;
  const [from, to] = [secondsIn(before), secondsIn(now)];
  return from.every((seconds, at) => {
    const other = to[at] ?? NaN;
    return seconds === other || Math.abs(Math.abs(other - seconds) - passedMs / 1_000) <= PACE_S;
  });
}

/** Returns each time or number of a text, as seconds. */
function secondsIn(text: string): number[] {
  return [...text.matchAll(TIME_OR_NUMBER)].map(([, first, second, third, fraction = '0', alone]) => {
    if (alone !== undefined) return Number(alone);
    const whole = Number(first) * 60 + Number(second);
    return third === undefined ? whole + Number(`0.${fraction}`) : whole * 60 + Number(third);
  });
}

/**
 * Whether two texts differ only in one clock, which at both readings shows the time of the day by the phone's own clock (`timesS`, s since
 * midnight). A home screen has such a text, with the date: `9:59, Friday, November 27`.
 */
export function keptTheTime(before: string, now: string, timesS: readonly [number, number]): boolean {
  if (before.length > MAX_COUNTER_CHARS || now.length > MAX_COUNTER_CHARS) return false;
  const [from, ...more] = before.matchAll(CLOCK);
  const [to] = now.matchAll(CLOCK);
  if (from === undefined || to === undefined || more.length > 0) return false;
  return before.replace(CLOCK, '#') === now.replace(CLOCK, '#') && shows(from, timesS[0]) && shows(to, timesS[1]);
}

function shows([, hour, minute]: RegExpMatchArray, timeS: number): boolean {
  const sinceS = (timeS - Number(hour) * HOUR_S - Number(minute) * 60 + 2 * HALF_DAY_S) % HALF_DAY_S;
  return sinceS < 60 + LATE_S || sinceS > HALF_DAY_S - LATE_S;
}
