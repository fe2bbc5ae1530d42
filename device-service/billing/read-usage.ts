import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { maySee } from '../access/visibility.js';
import type { LedgerEntry, LedgerStore } from '../store/ledger.js';
import type { AccountNow } from './account-now.js';
import { type DailyUsage, dayText, type UsageKey, type UsageRow } from './daily-usage.js';

export interface UsageParts {
  entries: LedgerStore;
  dailyUsage: DailyUsage;
  clock: Clock;
  accountNow: (accountId: string) => Promise<AccountNow>;
}

/** First and last day of a report, as the times at which they begin. */
export interface UsageRange {
  first: number;
  last: number;
}

const DAY_MS = 86_400_000;
/** The longest stretch of one report, days: a year and a month. */
const MOST_DAYS = 400;
/** How often the ledger may grow while it is summed, until the sum is taken as it is: then a minute may be in it twice. */
const READ_TRIES = 3;

/** Returns the charges of the devices that the caller may see, and the minutes that have just begun; those of the same key are one row. */
export async function readUsage(
  { entries, dailyUsage, accountNow }: UsageParts,
  caller: Caller,
  range: UsageRange,
  keyOf: UsageKey,
): Promise<(UsageRow & { costMicros: number })[]> {
  const { accountId } = caller;
  const [first, before] = [new Date(range.first), new Date(range.last + DAY_MS)];
  for (let tries = 1; ; tries++) {
    const { seq, begun } = await accountNow(accountId);
    const charged = await dailyUsage.read(accountId, first, before, keyOf);
    const due = begun.filter(({ at }) => at >= first && at < before);
    // Minutes that the meter has charged meanwhile are both in `charged` and `due`.
    if (due.length > 0 && tries < READ_TRIES && (await entries.findLast(accountId))?.seq !== seq) continue;
    return addBegun(charged, due, keyOf)
      .filter((row) => maySee(caller, row))
      .map((row) => ({ ...row, costMicros: 0 - row.amountMicros }));
  }
}

function addBegun(rows: readonly UsageRow[], begun: readonly LedgerEntry[], keyOf: UsageKey): UsageRow[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  for (const { device, at, minutes, amountMicros } of begun) {
    if (device === undefined) continue;
    const line = { ...device, day: dayText(at), minutes: 0, amountMicros: 0 };
    const row = byKey.get(keyOf(line)) ?? line;
    const sums = { minutes: row.minutes + minutes, amountMicros: row.amountMicros + amountMicros };
    byKey.set(keyOf(line), { ...row, ...sums });
  }
  return [...byKey.values()];
}

/** The days that a request is about. */
export function rangeOf(request: { from?: string | undefined; to?: string | undefined }, nowMs: number): UsageRange {
  const given = { from: startOf('from', request.from), to: startOf('to', request.to) };
  const first = given.from ?? monthOf(given.to ?? nowMs, 0);
  const last = given.to ?? monthOf(first, 1) - DAY_MS;
  if (last < first) {
    throw new ApiError('bad_request', `to: "${dayOf(last)}" is before from, which is "${dayOf(first)}"`);
  }
  if (last - first >= MOST_DAYS * DAY_MS) {
    throw new ApiError('bad_request', `to: "${dayOf(last)}" is more than ${MOST_DAYS} days after "${dayOf(first)}"`);
  }
  return { first, last };
}

/** A day such as 2026-11-01, from a time in it. */
export function dayOf(ms: number): string {
  return dayText(new Date(ms));
}

function startOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 2026-02-30 for the second of March; a day that exists comes back as it was.
  if (!Number.isNaN(ms) && dayOf(ms) === text) return ms;
  throw new ApiError('bad_request', `${field}: "${text}" is no day of the calendar`);
}

/** Beginning of the month of `ms`, or of one after it. */
function monthOf(ms: number, later: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}
