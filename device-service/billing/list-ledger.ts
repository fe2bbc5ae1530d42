import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { csvTable } from '../../kit/csv.js';
import { ApiError } from '../../kit/errors.js';
import { formatMoney } from '../../kit/money.js';
import { readPage } from '../../kit/page.js';
import { enumOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  LedgerEntrySchema,
  LedgerKindSchema,
  type LedgerEntry as Entry,
  type ListLedgerRequest,
} from '../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { type LedgerEntry, type LedgerStore, lineId, type LineKind, seqOf } from '../store/ledger.js';

/** Holds change no balance, and are not shown. */
const SHOWN: readonly LineKind[] = ['credit', 'minute', 'month', 'refund', 'reversal'];

/** Returns a page of the lines of the caller's account that change its balance, newest first. */
export function listLedger(
  entries: LedgerStore,
  { accountId, allDevices }: Caller,
  request: ListLedgerRequest,
): Promise<{ items: LedgerEntry[]; nextCursor?: string }> {
  if (!allDevices) {
    throw new ApiError(
      'forbidden',
      'This key is limited to some devices. The ledger is for keys of all devices ("*").',
    );
  }
  const end = request.before === undefined ? undefined : lineId(accountId, Number(request.before));
  return readPage(
    request,
    (limit, after) => {
      if (after !== undefined && seqOf(accountId, after) === undefined) {
        throw new ApiError('bad_request', 'cursor: not a next_cursor of this list');
      }
      const beforeId = after === undefined || (end !== undefined && end < after) ? end : after;
      return entries.listShown({ accountId, kinds: SHOWN, beforeId, limit });
    },
    ({ _id }) => _id,
  );
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
