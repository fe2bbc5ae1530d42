import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { maySee, seesByLabel } from '../../../kit/rpc/may-see.js';
import type { LedgerEntry } from '../../store/ledger.js';
import { accountNow } from './account-now.js';
import { dayText, type UsageKey, type UsageRow } from './daily-usage.js';
import type { AccountsContext } from '../accounts-context.js';

/** First and last day of a report, each as the time at which it begins. */
export interface UsageRange {
  first: number;
  last: number;
}

const DAY_MS = 86_400_000;
/** The longest range of one report, days: a year and a month. */
const MAX_DAYS = 400;
/**
 * The number of times that the sums are read at most. They are read again when the ledger grew meanwhile. After the last reading, a minute
 * may be in the report twice.
 */
const READ_TRIES = 3;

/**
 * Returns the charges of the devices that the caller may see, and those of minutes that have begun and are not charged yet. Charges
 * with the same key are one row.
 */
export async function readUsage(
  context: AccountsContext,
  caller: Caller,
  range: UsageRange,
  keyOf: UsageKey,
): Promise<(UsageRow & { costMicros: number })[]> {
  const { entries, dailyUsage } = context;
  const { accountId } = caller;
  const [first, before] = [new Date(range.first), new Date(range.last + DAY_MS)];
  for (let tries = 1; ; tries++) {
    const { seq, begun } = await accountNow(context, accountId);
    const charged = await dailyUsage.read(accountId, first, before, keyOf);
    const due = begun.filter(({ at }) => at >= first && at < before);
    // The meter may have charged minutes meanwhile, which are then both in `charged` and in `due`.
    if (due.length > 0 && tries < READ_TRIES && (await entries.findLast(accountId))?.seq !== seq) continue;
    const rows = addBegun(charged, due, keyOf);
    const labels = seesByLabel(caller) ? await labelsOf(context, rows) : NO_LABELS;
    return rows
      .filter((row) => maySee(caller, { ...row, labels: labels.get(row.phoneId) ?? [] }))
      .map((row) => ({ ...row, costMicros: 0 - row.amountMicros }));
  }
}

const NO_LABELS = new Map<string, string[]>();

/** Returns the labels that the phones of the rows have now, by the phones' ids. Phones that are gone have none. */
async function labelsOf({ devices }: AccountsContext, rows: readonly UsageRow[]): Promise<Map<string, string[]>> {
  const found = await devices.findByIds([...new Set(rows.map(({ phoneId }) => phoneId))]);
  return new Map(found.map(({ _id, gone, labels = [] }) => [_id, gone === true ? [] : labels]));
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

/** Returns the range of days that a request names, or its default. */
export function rangeOf(request: { from?: string | undefined; to?: string | undefined }, nowMs: number): UsageRange {
  const given = {
    from: request.from === undefined ? undefined : startOfDay('from', request.from),
    to: request.to === undefined ? undefined : startOfDay('to', request.to),
  };
  const first = given.from ?? monthOf(given.to ?? nowMs, 0);
  const last = given.to ?? monthOf(first, 1) - DAY_MS;
  if (last < first) {
    throw new ApiError('bad_request', `to: "${dayOf(last)}" is before from, which is "${dayOf(first)}"`);
  }
  if (last - first >= MAX_DAYS * DAY_MS) {
    throw new ApiError('bad_request', `to: "${dayOf(last)}" is more than ${MAX_DAYS} days after "${dayOf(first)}"`);
  }
  return { first, last };
}

/** Returns the day of a time in UTC, such as 2026-11-01. */
export function dayOf(ms: number): string {
  return dayText(new Date(ms));
}

/** Returns the time at which the day in a field of a request begins. Throws bad_request for a day that does not exist. */
export function startOfDay(field: string, text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 2026-02-30 for the second of March. Only a day that exists is the same after the round trip.
  if (!Number.isNaN(ms) && dayOf(ms) === text) return ms;
  throw new ApiError('bad_request', `${field}: "${text}" is no day of the calendar`);
}

/** Returns the beginning of the month of `ms`, or of the month that is `later` months after it. */
function monthOf(ms: number, later: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}
