/** A time of the day or of a stopwatch, as 8:41, 08:41:22 PM or 00:12.34. */
const TIME = /(?<![\d:])(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?:[.,](\d{1,3}))?(?:\s?([ap])\.?m\b\.?)?(?![\d:])/gi;

/** A clock without seconds changes up to this much later than its minute, and every clock is read up to this much late, s. */
const MINUTE_S = 60;
const LATE_S = 3;

interface ShownTime {
  /** The two first numbers as hours and minutes, or as minutes and seconds, s; NaN: they are none. */
  hourly: number;
  quickly: number;
  /** Which of them the text means, s; undefined: it can mean either. */
  known: number | undefined;
}

/**
 * Whether two texts differ only in times which went on, or back, by no more than the time that has passed: as those of a clock, a
 * stopwatch or a timer do. "7:00" and "8:00" of two alarms are different texts a minute later.
 */
export function clockWentOn(before: string, now: string, passedMs: number): boolean {
  if (before.replaceAll(TIME, '#') !== now.replaceAll(TIME, '#')) return false;
  const [from, to] = [timesIn(before), timesIn(now)];
  const passedS = passedMs / 1_000;
  return (
    from.length > 0 &&
    from.every((time, at) => {
      const other = to[at];
      if (other === undefined) return false;
      if (time.known !== undefined && other.known !== undefined)
        return Math.abs(other.known - time.known) <= passedS + LATE_S;
      const hourlyS = Math.abs(other.hourly - time.hourly);
      const quicklyS = Math.abs(other.quickly - time.quickly);
      // Minutes and seconds are believed only at the pace of time, as two alarms differ in the same numbers.
      return hourlyS <= passedS + MINUTE_S || Math.abs(quicklyS - passedS) <= LATE_S;
    })
  );
}

function timesIn(text: string): ShownTime[] {
  return [...text.matchAll(TIME)].map(([, first, second, third, fraction, half]) => {
    const quickly = Number(first) * 60 + Number(second);
    const hourly = (hourOf(Number(first), half) * 60 + Number(second)) * 60;
    if (half !== undefined && third === undefined) return { quickly: NaN, hourly, known: undefined };
    if (third !== undefined) return { quickly, hourly, known: hourly + Number(third) };
    return { quickly, hourly, known: fraction === undefined ? undefined : quickly };
  });
}

function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}
