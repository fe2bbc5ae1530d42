import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceDocument } from '../../store/devices.js';
import { type Charged, monthPosting, monthPrice, tooLow } from './charges.js';
import { assertCouldRun, assertMayRun, release } from './funds.js';
import type { AccountsContext } from '../accounts-context.js';

/** How long a creation may take from its charge to its device, ms. The real time is far shorter. */
const RESERVED_MS = 10 * 60_000;

export interface CreationPayment {
  /** Called when it is certain that the device could not be made. */
  giveBack(): Promise<void>;
}

/**
 * Secures the payment for a new device before anything is made. Throws insufficient_funds. With plan minute, the balance or the trial
 * must cover the first minute, which is held for the device. With plan month, the first month is charged.
 *
 * The charge and the device are two documents. A reservation is written before the charge, and deleted when the device's first job begins.
 * After a crash in between, the reservation stays until its time is over. Then giveBackLapsed gives the money back, if there is no device.
 * A device whose phone was never made gets its month back when it is deleted (devices/converge/settle-charges.ts).
 */
export async function payForCreation(
  context: AccountsContext,
  device: DeviceDocument,
  options: { start: boolean; reservedMs?: number },
): Promise<CreationPayment> {
  const { ledger, reservations, prices, clock } = context;
  if (device.plan === 'minute') {
    await (options.start ? assertMayRun(context, device) : assertCouldRun(context, device.accountId));
    return { giveBack: () => (options.start ? release(context, device) : Promise.resolve()) };
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
  if ((await context.entries.findWritten([refundOf(phoneId)])).size > 0) {
    // Only a repeated request gets here: the payment of its first try was given back.
    throw new ApiError('bad_request', 'This creation was given up. Send it again with another Idempotency-Key.');
  }
  return {
    giveBack: async () => {
      await refund(context, device);
      await reservations.delete(phoneId);
    },
  };
}

/** Ends the reservation of a device that is made, so that its payment is not given back. */
export async function keepPayment(
  { reservations }: Pick<AccountsContext, 'reservations'>,
  { _id, plan }: Pick<DeviceDocument, '_id' | 'plan'>,
): Promise<void> {
  if (plan === 'month') await reservations.delete(_id);
}

/** Ends reservations whose time is over. A charge that led to no device is given back. */
export async function giveBackLapsed(context: AccountsContext): Promise<void> {
  const { reservations, devices, entries, clock } = context;
  for (const { _id: phoneId, accountId } of await reservations.findLapsed(new Date(clock.now()))) {
    const charge = (await devices.findById(phoneId)) === null ? await entries.findMonth(phoneId, 0) : null;
    if (charge?.device !== undefined) await refund(context, { ...charge.device, _id: phoneId, accountId });
    await reservations.delete(phoneId);
  }
}

/** Gives back what the months of a phone cost, as the ledger has it, because the price may have changed since. May be repeated. */
export async function refund(
  { ledger, entries, clock }: AccountsContext,
  device: Charged & { accountId: string },
): Promise<void> {
  const { _id: phoneId, name, createdBy, plan } = device;
  // '0' is the character after '/'.
  const charges = await entries.listByDedupe(`month/${phoneId}/`, `month/${phoneId}0`);
  if (charges.length === 0) return;
  const amounts = new Map(charges.map(({ dedupe, amountMicros }) => [`refund/${dedupe}`, 0 - amountMicros]));
  const postings = [...amounts.keys()].map((dedupe) => ({
    ...{ kind: 'refund' as const, at: new Date(clock.now()), dedupe, minutes: 0 },
    device: { phoneId, name, createdBy, plan },
  }));
  await ledger.post(device.accountId, postings, (_standing, { dedupe }) => ({
    amountMicros: amounts.get(dedupe) ?? 0,
  }));
}

function refundOf(phoneId: string): string {
  return `refund/month/${phoneId}/0`;
}
