import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { formatMoney } from '../../kit/money.js';
import { pageOfAll } from '../../kit/page.js';
import { enumOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type GetUsageRequest,
  type GetUsageResponse,
  GetUsageResponseSchema,
} from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { maySee } from '../access/visibility.js';
import type { LedgerEntry, LedgerStore, UsageRow } from '../store/ledger.js';
import type { AccountNow } from './account-now.js';
import type { DailyUsage } from './daily-usage.js';

export interface UsageParts {
  entries: LedgerStore;
  dailyUsage: DailyUsage;
  clock: Clock;
  accountNow: (accountId: string) => Promise<AccountNow>;
}

const DAY_MS = 86_400_000;
/** The longest stretch of one report, days: a year and a month. */
const MOST_DAYS = 400;

/**
 * Returns minutes and cost of each device that the caller may see, summed from the ledger and the minutes that have just begun. The
 * total includes the devices of all pages.
 */
export async function getUsage(parts: UsageParts, caller: Caller, request: GetUsageRequest): Promise<GetUsageResponse> {
  const { from, to } = rangeOf(request, parts.clock.now());
  const rows = await readRows(parts, caller.accountId, { first: new Date(from), before: new Date(to + DAY_MS) });
  const devices = rows
    .filter((row) => maySee(caller, row))
    .map((row) => ({ ...row, costMicros: 0 - row.amountMicros }));
  const sum = (of: (row: (typeof devices)[number]) => number): number => devices.reduce((all, row) => all + of(row), 0);
  const { items, ...page } = pageOfAll(devices, request, ({ name, phoneId }) => `${name} ${phoneId}`);
  return create(GetUsageResponseSchema, {
    from: dateText(from),
    to: dateText(to),
    devices: items.map(({ name, plan, minutes, costMicros }) => ({
      device: name,
      plan: enumOf(PlanSchema, plan),
      minutes,
      cost: formatMoney(costMicros),
    })),
    total: { minutes: sum(({ minutes }) => minutes), cost: formatMoney(sum(({ costMicros }) => costMicros)) },
    ...page,
  });
}

/** How often the ledger may grow while it is summed, until the sum is taken as it is: then a minute may be in it twice. */
const READ_TRIES = 3;

async function readRows(
  { entries, dailyUsage, accountNow }: UsageParts,
  accountId: string,
  { first, before }: { first: Date; before: Date },
): Promise<UsageRow[]> {
  for (let tries = 1; ; tries++) {
    const { seq, begun } = await accountNow(accountId);
    const charged = await dailyUsage.read(accountId, first, before);
    const due = begun.filter(({ at }) => at >= first && at < before);
    // Minutes that the meter has charged meanwhile are both in `charged` and `due`.
    if (due.length > 0 && tries < READ_TRIES && (await entries.findLast(accountId))?.seq !== seq) continue;
    return addBegun(charged, due);
  }
}

function addBegun(rows: readonly UsageRow[], begun: readonly LedgerEntry[]): UsageRow[] {
  const byPhone = new Map(rows.map((row) => [row.phoneId, row]));
  for (const { device, minutes, amountMicros } of begun) {
    if (device === undefined) continue;
    const row = byPhone.get(device.phoneId) ?? { ...device, minutes: 0, amountMicros: 0 };
    const sums = { minutes: row.minutes + minutes, amountMicros: row.amountMicros + amountMicros };
    byPhone.set(device.phoneId, { ...row, ...sums });
  }
  return [...byPhone.values()];
}

/** First and last day, as the ms at which they begin. */
function rangeOf(request: GetUsageRequest, nowMs: number): { from: number; to: number } {
  const given = { from: dayOf('from', request.from), to: dayOf('to', request.to) };
  const from = given.from ?? monthOf(given.to ?? nowMs, 0);
  const to = given.to ?? monthOf(from, 1) - DAY_MS;
  if (to < from) {
    throw new ApiError('bad_request', `to: "${dateText(to)}" is before from, which is "${dateText(from)}"`);
  }
  if (to - from >= MOST_DAYS * DAY_MS) {
    throw new ApiError('bad_request', `to: "${dateText(to)}" is more than ${MOST_DAYS} days after "${dateText(from)}"`);
  }
  return { from, to };
}

function dayOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // Date.parse takes 2026-02-30 for the second of March; a day that exists comes back as it was.
  if (!Number.isNaN(ms) && dateText(ms) === text) return ms;
  throw new ApiError('bad_request', `${field}: "${text}" is no day of the calendar`);
}

/** Beginning of the month of `ms`, or of one after it. */
function monthOf(ms: number, later: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
}

function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
