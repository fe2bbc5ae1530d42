import { create } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Reads an RFC 3339 time with any offset and up to nanoseconds. Returns undefined for any other text, and for a day that does not exist.
 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59 || year < 1) return undefined;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  // `setUTCFullYear` moves a date that does not exist, such as 30 February or a day of month 13, to another month.
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const offsetS = (match[8] === '-' ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60);
  const seconds = midnight.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetS;
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: Number((match[7] ?? '').padEnd(9, '0')) });
}

/** Returns the time in UTC with milliseconds, such as 2026-11-20T17:00:00.000Z. Finer digits are cut off. */
export function formatTimestamp({ seconds, nanos }: Timestamp): string {
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
}
