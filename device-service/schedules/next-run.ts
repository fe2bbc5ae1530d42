import { Temporal } from 'temporal-polyfill';

/** When something happens every week, on the wall clock of a place. */
export interface WeeklyTime {
  /** ISO days of the week: 1 is Monday. At least one. */
  days: readonly number[];
  /** HH:MM. */
  time: string;
  /** IANA name. */
  timezone: string;
}

/**
 * Returns the first time after `afterMs`, in ms since the epoch. A time of the day that the clocks skip is as much later as they are
 * put forward (02:30 becomes 03:30); one that they pass twice is the first of the two.
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
