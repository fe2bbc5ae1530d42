const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the API in the person's time zone. */
export function Moment({ at }: { at: string }) {
  return <time dateTime={at}>{MOMENT.format(new Date(at))}</time>;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

/** A time of today without its date, for texts about now. */
export function RecentMoment({ at }: { at: string }) {
  return <time dateTime={at}>{recentMoment(at)}</time>;
}

/** Returns the same as a text. */
export function recentMoment(at: string): string {
  const time = new Date(at);
  return (time.toDateString() === new Date().toDateString() ? CLOCK : MOMENT).format(time);
}

const DAY = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Returns a day of the API, such as 2026-11-26, which is one of UTC, as "Thu, 26 Nov 2026". */
export function utcDay(day: string): string {
  return DAY.format(new Date(day));
}

/** Returns a number of seconds in words: "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
