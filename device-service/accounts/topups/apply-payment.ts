import { ApiError } from '../../../kit/errors/api-error.js';
import { credit } from '../billing/credit.js';
import type { Posting } from '../billing/postings.js';
import type { TopupDocument } from '../../store/topups.js';
import type { PaymentEvent } from './payments.js';
import type { AccountsContext } from '../accounts-context.js';

/**
 * Applies an event, which may come any number of times and in any order. A line of the ledger is written once, as its `dedupe` is unique,
 * and states only move forward. The ledger is written before the top-up. After a crash between the two, the provider has no response and
 * sends the event again.
 */
export async function applyPayment(context: AccountsContext, event: PaymentEvent): Promise<void> {
  const { topups, clock, log } = context;
  const { topupId } = event;
  const topup = await topups.find(topupId);
  if (topup === null) {
    log.warn({ topup: topupId, event: event.kind }, 'an event about a top-up that is not in this database');
    return;
  }
  switch (event.kind) {
    case 'pending':
      await topups.move(topupId, ['open'], 'pending');
      break;
    case 'failed':
      await topups.move(topupId, ['open', 'pending'], 'failed');
      break;
    case 'paid':
      // Only a manipulated page of payment leads to another amount. As the event fails, the provider sends it repeatedly, and shows it to
      // the operator.
      if (event.amountMicros !== topup.amountMicros) {
        throw new Error(`${topupId} is for ${topup.amountMicros} micro-dollars; ${event.amountMicros} were paid`);
      }
      await credit(context, topup.accountId, topup.amountMicros, topupId);
      await topups.setPaid(topupId, new Date(clock.now()));
      break;
    case 'reversed':
    case 'reversal_undone':
      await reverse(context, topup, event);
  }
  log.info({ topup: topupId, event: event.kind }, 'payment');
}

/** Takes the amount off the balance, or gives it back. The balance may go below 0, as the credit may be used up already. */
async function reverse(
  { topups, ledger, clock }: AccountsContext,
  topup: TopupDocument,
  { kind, reversalId, amountMicros }: Extract<PaymentEvent, { reversalId: string }>,
): Promise<void> {
  if (topup.state !== 'paid') {
    throw new ApiError('unavailable', 'The payment itself is not known yet. Send this event again.', {
      retryAfterS: 60,
    });
  }
  const line = (dedupe: string): Posting => ({ kind: 'reversal', at: new Date(clock.now()), dedupe, minutes: 0 });
  const taken = line(`reversal/${reversalId}`);
  const givenBack = line(`reversal-undone/${reversalId}`);
  // The undoing may come first. It then writes both lines, and the reversal changes nothing when it comes.
  const lines = kind === 'reversed' ? [taken] : [taken, givenBack];
  await ledger.post(topup.accountId, lines, (_standing, posting) => ({
    amountMicros: posting === taken ? -amountMicros : amountMicros,
  }));
  if (kind === 'reversed') await topups.addReversal(topup._id, reversalId, amountMicros);
  else await topups.undoReversal(topup._id, reversalId);
}
