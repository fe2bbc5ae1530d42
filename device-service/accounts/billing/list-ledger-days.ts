import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../../kit/errors/api-error.js';
import { formatMoney } from '../../../kit/text/money.js';
import { readPage } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type LedgerDay,
  LedgerDaySchema,
  LedgerKindSchema,
  type LedgerSum,
  LedgerSumSchema,
  type ListLedgerDaysRequest,
} from '../../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import type { LedgerEntry } from '../../store/ledger.js';
import { dayText, type UsageRow } from './daily-usage.js';
import { assertAllDevices } from './list-ledger.js';
import type { AccountsContext } from '../accounts-context.js';

export type LedgerSources = Pick<AccountsContext, 'entries' | 'dailyUsage'>;

const DEFAULT_DAYS = 31;

/** A text that sorts after every day whose year has four digits. */
const AFTER_ALL = ':';

/**
 * How many times the page is read when the ledger grows during the reading. After the last time, the newest balance may lack a charge that
 * is listed.
 */
const READ_TRIES = 5;

/** A day with the payments and charges that changed the balance, and the balance before them. */
interface DayOfLedger {
  day: string;
  payments: LedgerEntry[];
  charges: UsageRow[];
  amountMicros: number;
  beforeMicros: number;
}

/**
 * Returns a page of the days of the caller's ledger, newest first. The charges are read as sums by phone and day (DailyUsage), never by
 * minute. So a page reads one sum for each phone that was charged on one of its days. Balances are counted back from the last line of the
 * ledger, and on later pages from the balance in the cursor.
 */
export async function listLedgerDays(
  parts: LedgerSources,
  caller: Caller,
  { limit = DEFAULT_DAYS, cursor }: ListLedgerDaysRequest,
): Promise<{ days: LedgerDay[]; nextCursor?: string }> {
  assertAllDevices(caller);
  const { accountId } = caller;
  const { items, ...page } = await readPage(
    { limit, cursor },
    async (most, after) => {
      if (after !== undefined) return daysBefore(parts, accountId, placeOf(after), most);
      for (let tries = 1; ; tries++) {
        const last = await parts.entries.findLast(accountId);
        const place = { day: AFTER_ALL, balanceMicros: last?.balanceMicros ?? 0 };
        const days = await daysBefore(parts, accountId, place, most);
        const isSame = (await parts.entries.findLast(accountId))?.seq === last?.seq;
        if (isSame || tries === READ_TRIES) return days;
      }
    },
    ({ day, beforeMicros }) => `${day} ${beforeMicros}`,
  );
  return { days: items.map(dayMessage), ...page };
}

/** Where a page begins: before the day, with the balance at the beginning of that day. */
interface Place {
  day: string;
  balanceMicros: number;
}

function placeOf(after: string): Place {
  const [, day = '', micros = ''] = /^(\d{4}-\d{2}-\d{2}) (-?\d{1,15})$/.exec(after) ?? [];
  if (Number.isNaN(Date.parse(day))) throw new ApiError('bad_request', 'cursor: not a next_cursor of this list');
  return { day, balanceMicros: Number(micros) };
}

async function daysBefore(
  { entries, dailyUsage }: LedgerSources,
  accountId: string,
  { day: before, balanceMicros }: Place,
  most: number,
): Promise<DayOfLedger[]> {
  const until = before === AFTER_ALL ? END_OF_TIME : new Date(before);
  const [charges, ...payments] = await Promise.all([
    newestDays(dailyUsage.newest(accountId, before), ({ day }) => day, most),
    ...(['credit', 'reversal'] as const).map((kind) =>
      newestDays(entries.listPayments(accountId, kind, until), ({ at }) => dayText(at), most),
    ),
  ]);
  const names = new Set([charges, ...payments].flatMap((byDay) => [...byDay.keys()]));
  let restMicros = balanceMicros;
  return [...names]
    .sort((a, b) => (a < b ? 1 : -1))
    .slice(0, most)
    .map((day) => {
      const paid = payments.flatMap((byDay) => byDay.get(day) ?? []);
      const charged = charges.get(day) ?? [];
      const amountMicros = [...paid, ...charged].reduce((sum, one) => sum + one.amountMicros, 0);
      restMicros -= amountMicros;
      return {
        day,
        payments: paid.sort((a, b) => b.seq - a.seq),
        charges: charged.sort((a, b) => (`${a.name} ${a.phoneId}` < `${b.name} ${b.phoneId}` ? -1 : 1)),
        amountMicros,
        beforeMicros: restMicros,
      };
    });
}

const END_OF_TIME = new Date('9999-12-31T23:59:59Z');

/** Returns the items of the first `most` days. The items of one day follow each other. */
async function newestDays<T>(
  items: AsyncIterable<T>,
  dayOf: (item: T) => string,
  most: number,
): Promise<Map<string, T[]>> {
  const byDay = new Map<string, T[]>();
  for await (const item of items) {
    const day = dayOf(item);
    const same = byDay.get(day);
    if (same !== undefined) same.push(item);
    else if (byDay.size < most) byDay.set(day, [item]);
    else break;
  }
  return byDay;
}

function dayMessage({ day, payments, charges, amountMicros, beforeMicros }: DayOfLedger): LedgerDay {
  return create(LedgerDaySchema, {
    day,
    amount: formatMoney(amountMicros),
    balance: formatMoney(beforeMicros + amountMicros),
    entries: [...payments.map(paymentSum), ...charges.map(chargeSum)],
  });
}

function paymentSum({ kind, amountMicros, at }: LedgerEntry): LedgerSum {
  return create(LedgerSumSchema, {
    kind: enumOf(LedgerKindSchema, kind),
    amount: formatMoney(amountMicros),
    at: timestampFromDate(at),
  });
}

function chargeSum({ plan, name, minutes, amountMicros }: UsageRow): LedgerSum {
  return create(LedgerSumSchema, {
    kind: enumOf(LedgerKindSchema, plan),
    device: name,
    minutes,
    amount: formatMoney(amountMicros),
  });
}
