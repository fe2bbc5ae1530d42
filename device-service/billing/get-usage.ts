import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { formatMoney } from '../../kit/money.js';
import { enumOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type GetUsageRequest,
  type GetUsageResponse,
  GetUsageResponseSchema,
} from '../../proto/gen/cloudphone/billing/v1/usage_service_pb.js';
import { PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { maySee } from '../access/visibility.js';
import type { LedgerStore } from '../store/ledger.js';

export interface UsageParts {
  entries: LedgerStore;
  clock: Clock;
}

const DAY_MS = 86_400_000;
/** The longest stretch of one report, days: a year and a month. */
const MOST_DAYS = 400;

/** Minutes and cost of each device that the caller may see, summed from the ledger. */
export async function getUsage(parts: UsageParts, caller: Caller, request: GetUsageRequest): Promise<GetUsageResponse> {
  const { from, to } = rangeOf(request, parts.clock.now());
  const rows = await parts.entries.usage(caller.accountId, new Date(from), new Date(to + DAY_MS));
  const devices = rows
    .filter((row) => maySee(caller, row))
    .map((row) => ({ ...row, costMicros: 0 - row.amountMicros }))
    .sort((a, b) => (a.name === b.name ? compare(a.phoneId, b.phoneId) : compare(a.name, b.name)));
  const sum = (of: (row: (typeof devices)[number]) => number): number => devices.reduce((all, row) => all + of(row), 0);
  return create(GetUsageResponseSchema, {
    from: dateText(from),
    to: dateText(to),
    devices: devices.map(({ name, plan, minutes, costMicros }) => ({
      device: name,
      plan: enumOf(PlanSchema, plan),
      minutes,
      cost: formatMoney(costMicros),
    })),
    total: { minutes: sum(({ minutes }) => minutes), cost: formatMoney(sum(({ costMicros }) => costMicros)) },
  });
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

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
