import { Temporal } from 'temporal-polyfill';

/** The days and time of something that happens every week, on the wall clock of a place. */
export interface WeeklyTime {
  /** ISO days of the week: 1 is Monday. There is at least one. */
  days: readonly number[];
  /** HH:MM. */
  time: string;
  /** IANA name. */
  timezone: string;
}

/**
 * Returns the first time after `afterMs`, in ms since the epoch. When the clocks skip the time of day, the result is later by as much as
 * they are put forward (02:30 becomes 03:30). When the clocks pass the time of day twice, the result is the first of the two
 * times.
 */
export function nextRun({ days, time, timezone }: WeeklyTime, afterMs: number): number {
  const at = Temporal.PlainTime.from(time);
  let date = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(timezone).toPlainDate();
  for (;;) {
    if (days.includes(date.dayOfWeek)) {
      const { epochMilliseconds } = date.toZonedDateTime({ timeZone: timezone, plainTime: at });
      if (epochMilliseconds > afterMs) return epochMilliseconds;
    }
    date = date.add({ days: 1 });
  }
}
