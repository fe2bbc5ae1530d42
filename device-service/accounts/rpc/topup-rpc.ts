import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { formatMoney } from '../../../kit/text/money.js';
import { enumOf } from '../../../kit/text/wire-words.js';
import { readPage } from '../../../kit/call/page.js';
import { callerOf } from '../../../kit/rpc/context.js';
import { type Topup, TopupSchema, TopupStateSchema } from '../../../proto/gen/cloudphone/billing/v1/topup_pb.js';
import type { TopupService } from '../../../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { assertAllDevices } from '../billing/list-ledger.js';
import { MIN_TOPUP_MICROS, MAX_TOPUP_MICROS } from '../billing/prices.js';
import { applyPayment } from '../topups/apply-payment.js';
import { notOnline, openTopup } from '../topups/open-topup.js';
import type { TopupDocument } from '../../store/topups.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of top-ups to their rpcs. */
export function topupRpc(parts: AccountsContext): ServiceImpl<typeof TopupService> {
  const { topups, payments, clock } = parts;
  // The lock is held per account, so that simultaneous requests of one account are counted one after the other.
  const opening = new KeyedLock();
  return {
    getTopupOptions: () => ({
      online: payments !== undefined,
      least: formatMoney(MIN_TOPUP_MICROS),
      most: formatMoney(MAX_TOPUP_MICROS),
    }),
    listTopups: async (request, context) => {
      const caller = callerOf(context);
      assertAllDevices(caller);
      const { accountId } = caller;
      const { items, ...page } = await readPage(
        request,
        (limit, beforeId) => topups.list(accountId, limit, beforeId),
        ({ _id }) => _id,
      );
      return { topups: items.map((topup) => topupMessage(topup, clock.now())), ...page };
    },
    getTopup: async ({ id }, context) => {
      const caller = callerOf(context);
      assertAllDevices(caller);
      const topup = await topups.find(id);
      if (topup === null || topup.accountId !== caller.accountId) {
        throw new ApiError('not_found', `There is no top-up "${id}".`);
      }
      return { topup: topupMessage(topup, clock.now()) };
    },
    createTopup: async (request, context) => {
      const { topup, url } = await openTopup(parts, opening, callerOf(context).accountId, request);
      return { topup: topupMessage(topup, clock.now(), url) };
    },
    receiveStripeEvent: async ({ event, signature }) => {
      if (payments === undefined) throw notOnline();
      const payment = await payments.readEvent(event?.data ?? new Uint8Array(), signature);
      if (payment !== undefined) await applyPayment(parts, payment);
      return {};
    },
  };
}

/** Returns a top-up as its owner sees it. Only the response that creates the top-up contains `url`, the page of payment. */
function topupMessage(topup: TopupDocument, nowMs: number, url?: string): Topup {
  const { createdAt, expiresAt, paidAt } = topup;
  const expired = topup.state === 'open' && expiresAt.getTime() <= nowMs;
  const reversed = Object.values(topup.reversals ?? {}).reduce((sum, micros) => sum + micros, 0);
  return create(TopupSchema, {
    id: topup._id,
    amount: formatMoney(topup.amountMicros),
    state: enumOf(TopupStateSchema, expired ? 'expired' : topup.state),
    createdAt: timestampFromDate(createdAt),
    expiresAt: timestampFromDate(expiresAt),
    paidAt: paidAt && timestampFromDate(paidAt),
    ...(reversed > 0 && { reversed: formatMoney(reversed) }),
    url,
  });
}
