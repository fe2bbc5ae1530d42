import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { credit } from '../billing/credit.js';
import type { Ledger } from '../billing/ledger.js';
import type { Posting } from '../billing/postings.js';
import type { AccountStore } from '../store/accounts.js';
import type { TopupDocument, TopupStore } from '../store/topups.js';
import type { PaymentEvent } from './payments.js';

export interface ApplyPaymentParts {
  topups: TopupStore;
  accounts: AccountStore;
  ledger: Ledger;
  clock: Clock;
  log: Log;
}

/**
 * Applies an event. Events come any number of times and in any order: lines of the ledger are written once by their
 * dedupe, and states only move on. The ledger comes first; a crash before the top-up's own note leaves the event without a response, and it
 * is sent again.
 */
export async function applyPayment(parts: ApplyPaymentParts, event: PaymentEvent): Promise<void> {
  const { topups, clock, log } = parts;
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
      // Must not happen: it means that the page of payment was changed. The provider sends it repeatedly, and shows it to the operator.
      if (event.amountMicros !== topup.amountMicros) {
        throw new Error(`${topupId} is for ${topup.amountMicros} micro-dollars; ${event.amountMicros} were paid`);
      }
      await credit(parts, topup.accountId, topup.amountMicros, topupId);
      await topups.setPaid(topupId, new Date(clock.now()));
      break;
    case 'reversed':
    case 'reversal_undone':
      await reverse(parts, topup, event);
  }
  log.info({ topup: topupId, event: event.kind }, 'payment');
}

/** The balance may go below zero by it: the credit may be used up already. */
async function reverse(
  { topups, ledger, clock }: ApplyPaymentParts,
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
  // With its undoing it is written also when that came first: the event that it happened changes nothing then.
  const lines = kind === 'reversed' ? [taken] : [taken, givenBack];
  await ledger.post(topup.accountId, lines, (_standing, posting) => ({
    amountMicros: posting === taken ? -amountMicros : amountMicros,
  }));
  if (kind === 'reversed') await topups.addReversal(topup._id, reversalId, amountMicros);
  else await topups.undoReversal(topup._id, reversalId);
}
