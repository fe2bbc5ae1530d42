import { ApiError } from '../../kit/errors.js';
import type { DeviceDocument } from '../store/devices.js';
import type { LedgerStore } from '../store/ledger.js';
import type { ReservationStore } from '../store/reservations.js';
import { type Charged, monthPosting, monthPrice, tooLow } from './charges.js';
import { assertCouldRun, assertMayRun, type FundsParts, release } from './funds.js';

export interface CreationPaymentParts extends FundsParts {
  entries: LedgerStore;
  reservations: ReservationStore;
}

/** How long a creation may take from its charge to its device, ms; far above the time it does take. */
const RESERVED_MS = 10 * 60_000;

export interface CreationPayment {
  /** The device could not be made, for certain. */
  giveBack(): Promise<void>;
}

/**
 * Secures the payment for a new device before anything is made. Throws insufficient_funds. Plan minute: something must be there for
 * the first minute, and is held for it. Plan month: the first month is charged.
 *
 * The charge and the device are two documents, so a reservation exists from before the charge until the job that creates
 * the device is at work. A crash in between leaves it, and once it is over giveBackLapsed finds the device, or gives the money back.
 */
export async function payForCreation(
  parts: CreationPaymentParts,
  device: DeviceDocument,
  options: { start: boolean; reservedMs?: number },
): Promise<CreationPayment> {
  const { ledger, reservations, prices, clock } = parts;
  if (device.plan === 'minute') {
    await (options.start ? assertMayRun(parts, device) : assertCouldRun(parts, device.accountId));
    return { giveBack: () => (options.start ? release(parts, device) : Promise.resolve()) };
  }
  const { _id: phoneId, accountId } = device;
  const expiresAt = new Date(clock.now() + (options.reservedMs ?? RESERVED_MS));
  await reservations.insert({ _id: phoneId, accountId, expiresAt });
  const posting = monthPosting(device, device.createdAt.getTime(), 0);
  const { standing, refused } = await ledger.post(accountId, [posting], monthPrice(prices));
  if (refused.length > 0) {
    await reservations.delete(phoneId);
    throw new ApiError('insufficient_funds', tooLow(standing, 'month', prices));
  }
  if ((await parts.entries.findWritten([refundOf(phoneId)])).size > 0) {
    // Only a request that is sent again can come here: its first try was given up and paid back.
    throw new ApiError('bad_request', 'This creation was given up. Send it again with another Idempotency-Key.');
  }
  return {
    giveBack: async () => {
      await refund(parts, device);
      await reservations.delete(phoneId);
    },
  };
}

/** The device is made: its payment is not given back any more. */
export async function keepPayment(
  { reservations }: Pick<CreationPaymentParts, 'reservations'>,
  { _id, plan }: Pick<DeviceDocument, '_id' | 'plan'>,
): Promise<void> {
  if (plan === 'month') await reservations.delete(_id);
}

/** Ends reservations whose time is over: of devices that were made, and of charges that led to none, which are given back. */
export async function giveBackLapsed(parts: CreationPaymentParts): Promise<void> {
  const { reservations, devices, entries, clock } = parts;
  for (const { _id: phoneId, accountId } of await reservations.findLapsed(new Date(clock.now()))) {
    const charge = (await devices.findById(phoneId)) === null ? await entries.findMonth(phoneId, 0) : null;
    if (charge?.device !== undefined) await refund(parts, { ...charge.device, _id: phoneId, accountId });
    await reservations.delete(phoneId);
  }
}

/** Gives back what the first month cost, which the ledger has: the price may be another one by now. */
async function refund(
  { ledger, entries, clock }: CreationPaymentParts,
  device: Charged & { accountId: string },
): Promise<void> {
  const { _id: phoneId, name, createdBy, plan } = device;
  const charge = await entries.findMonth(phoneId, 0);
  if (charge === null) return;
  const posting = {
    kind: 'refund' as const,
    at: new Date(clock.now()),
    dedupe: refundOf(phoneId),
    minutes: 0,
    device: { phoneId, name, createdBy, plan },
  };
  await ledger.post(device.accountId, [posting], () => ({ amountMicros: 0 - charge.amountMicros }));
}

function refundOf(phoneId: string): string {
  return `refund/month/${phoneId}/0`;
}
