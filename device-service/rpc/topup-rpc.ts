import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import { formatMoney } from '../../kit/money.js';
import { readPage } from '../../kit/page.js';
import { callerOf } from '../../kit/rpc/context.js';
import type { TopupService } from '../../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { LEAST_TOPUP_MICROS, MOST_TOPUP_MICROS } from '../billing/prices.js';
import { applyPayment, type ApplyPaymentParts } from '../topups/apply-payment.js';
import { notOnline, openTopup, type OpenTopupParts } from '../topups/open-topup.js';
import { topupMessage } from '../topups/topup-message.js';

/** Unpack, call, pack. */
export function topupRpc(parts: Omit<OpenTopupParts, 'opening'> & ApplyPaymentParts): ServiceImpl<typeof TopupService> {
  const { topups, payments, clock } = parts;
  const opening = new KeyedLock();
  return {
    getTopupOptions: () => ({
      online: payments !== undefined,
      least: formatMoney(LEAST_TOPUP_MICROS),
      most: formatMoney(MOST_TOPUP_MICROS),
    }),
    listTopups: async (request, context) => {
      const { accountId } = callerOf(context);
      const { items, ...page } = await readPage(
        request,
        (limit, beforeId) => topups.list(accountId, limit, beforeId),
        ({ _id }) => _id,
      );
      return { topups: items.map((topup) => topupMessage(topup, clock.now())), ...page };
    },
    getTopup: async ({ id }, context) => {
      const topup = await topups.find(id);
      if (topup === null || topup.accountId !== callerOf(context).accountId) {
        throw new ApiError('not_found', `There is no top-up "${id}".`);
      }
      return { topup: topupMessage(topup, clock.now()) };
    },
    createTopup: async (request, context) => {
      const { topup, url } = await openTopup({ ...parts, opening }, callerOf(context).accountId, request);
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
