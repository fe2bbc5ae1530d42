import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../api/all-of.ts';
import type { Schemas } from '../../api/client.ts';

export type Schedule = Schemas['Schedule'];
export type Day = Schedule['days'][number];

export const DAYS: readonly { value: Day; label: string }[] = [
  { value: 'mon', label: 'Monday' },
  { value: 'tue', label: 'Tuesday' },
  { value: 'wed', label: 'Wednesday' },
  { value: 'thu', label: 'Thursday' },
  { value: 'fri', label: 'Friday' },
  { value: 'sat', label: 'Saturday' },
  { value: 'sun', label: 'Sunday' },
];

export const schedulesQuery = queryOptions({
  queryKey: ['schedules'],
  queryFn: () => allOf('/v1/schedules', 'schedules'),
  refetchInterval: 5_000,
});

/** Returns the days in words: "every day", "Mon, Wed". */
export function daysText(days: readonly Day[]): string {
  if (days.length === DAYS.length) return 'every day';
  return DAYS.filter(({ value }) => days.includes(value))
    .map(({ label }) => label.slice(0, 3))
    .join(', ');
}
