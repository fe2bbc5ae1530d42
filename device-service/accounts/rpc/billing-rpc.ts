import type { IncomingMessage } from 'node:http';
import type { ServiceImpl } from '@connectrpc/connect';
import accepts from 'accepts';
import { formatMoney } from '../../../kit/text/money.js';
import { callerOf } from '../../../kit/rpc/context.js';
import type { LedgerService } from '../../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import type { PriceService } from '../../../proto/gen/cloudphone/billing/v1/price_service_pb.js';
import { entryMessage, ledgerTable, listLedger } from '../billing/list-ledger.js';
import { listLedgerDays } from '../billing/list-ledger-days.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of prices to their rpcs. */
export function priceRpc({ prices, signUpOpen }: AccountsContext): ServiceImpl<typeof PriceService> {
  const { minuteMicros, monthMicros, trialMinutes, billing } = prices;
  const shown = { minute: formatMoney(minuteMicros), month: formatMoney(monthMicros), trialMinutes, billing };
  return { getPrices: () => ({ prices: shown, signUp: signUpOpen }) };
}

/** Adapts the operations of the ledger to their rpcs. */
export function ledgerRpc(parts: AccountsContext): ServiceImpl<typeof LedgerService> {
  return {
    listLedgerDays: (request, context) => listLedgerDays(parts, callerOf(context), request),
    listLedger: async (request, context) => {
      const { items, ...page } = await listLedger(parts, callerOf(context), request);
      if (!prefersTable(request.accept)) return { entries: items.map(entryMessage), ...page };
      return { table: { contentType: 'text/csv; charset=utf-8', data: Buffer.from(ledgerTable(items), 'utf8') } };
    },
  };
}

function prefersTable(accept: string | undefined): boolean {
  const headers = { accept: accept ?? 'application/json' };
  const request = { headers } as Partial<IncomingMessage> as IncomingMessage;
  return accepts(request).type(['application/json', 'text/csv']) === 'text/csv';
}
