import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { csvTable } from '../../../kit/text/csv.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { formatMoney } from '../../../kit/text/money.js';
import { readPage } from '../../../kit/call/page.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { seesAll } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  LedgerEntrySchema,
  LedgerKindSchema,
  type LedgerEntry as Entry,
  type ListLedgerRequest,
} from '../../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { chargesOfDay } from './charges.js';
import { dayText } from './daily-usage.js';
import { startOfDay } from './read-usage.js';
import { type LedgerEntry, lineId, type LineKind, seqOf } from '../../store/ledger.js';
import type { AccountsContext } from '../accounts-context.js';

/** Kinds of lines that are shown. Holds change no balance, so they are not among them. */
const SHOWN: readonly LineKind[] = ['credit', 'minute', 'month', 'refund', 'reversal'];

/** Returns a page of the lines of the caller's account that change its balance, newest first. */
export function listLedger(
  { entries, dailyUsage }: Pick<AccountsContext, 'entries' | 'dailyUsage'>,
  caller: Caller,
  request: ListLedgerRequest,
): Promise<{ items: LedgerEntry[]; nextCursor?: string }> {
  assertAllDevices(caller);
  const { accountId } = caller;
  const chosen = chosenOf(request);
  const end = request.before === undefined ? undefined : lineId(accountId, Number(request.before));
  return readPage(
    request,
    (limit, after) => {
      if (after !== undefined && seqOf(accountId, after) === undefined) {
        throw new ApiError('bad_request', 'cursor: not a next_cursor of this list');
      }
      const beforeId = after === undefined || (end !== undefined && end < after) ? end : after;
      if (chosen !== undefined) return chargesOf({ entries, dailyUsage }, accountId, { ...chosen, beforeId, limit });
      return entries.listShown({ accountId, kinds: SHOWN, beforeId, limit });
    },
    ({ _id }) => _id,
  );
}

/** Throws forbidden for a caller that may see only a part of the account's devices, because the balance shows what the others cost. */
export function assertAllDevices(caller: Caller): void {
  if (seesAll(caller)) return;
  throw new ApiError(
    'forbidden',
    'This key is limited to some devices. The ledger and top-ups are for keys of all devices ("*").',
  );
}

/** The day and the device that a request is limited to; undefined when it is not. */
function chosenOf({ day, device }: ListLedgerRequest): { firstMs: number; device: string } | undefined {
  if (day === undefined && device === undefined) return undefined;
  if (day === undefined) throw new ApiError('bad_request', 'day is missing: it is needed together with device');
  if (device === undefined) throw new ApiError('bad_request', 'device is missing: it is needed together with day');
  return { firstMs: startOfDay('day', day), device };
}

/** Returns the charges of one day, newest first, for every device that had this name on that day: at most 1,440 for each. */
async function chargesOf(
  { entries, dailyUsage }: Pick<AccountsContext, 'entries' | 'dailyUsage'>,
  accountId: string,
  chosen: { firstMs: number; device: string; beforeId: string | undefined; limit: number },
): Promise<LedgerEntry[]> {
  const { firstMs, device, beforeId, limit } = chosen;
  const phones = await dailyUsage.phonesOf(accountId, dayText(new Date(firstMs)), device);
  const lines = await Promise.all(phones.map(({ phoneId }) => chargesOfDay(entries, phoneId, firstMs)));
  return lines
    .flat()
    .filter(({ _id }) => beforeId === undefined || _id < beforeId)
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit);
}

export function entryMessage({ seq, at, kind, device, amountMicros, balanceMicros }: LedgerEntry): Entry {
  return create(LedgerEntrySchema, {
    id: String(seq),
    at: timestampFromDate(at),
    kind: enumOf(LedgerKindSchema, kind),
    device: device?.name,
    amount: formatMoney(amountMicros),
    balance: formatMoney(balanceMicros),
  });
}

export function ledgerTable(entries: readonly LedgerEntry[]): string {
  return csvTable(
    ['id', 'at', 'kind', 'device', 'amount', 'balance'],
    entries.map(({ seq, at, kind, device, amountMicros, balanceMicros }) => [
      { number: String(seq) },
      at.toISOString(),
      kind,
      device?.name ?? '',
      { number: formatMoney(amountMicros) },
      { number: formatMoney(balanceMicros) },
    ]),
  );
}
