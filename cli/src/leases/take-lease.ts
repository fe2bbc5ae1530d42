import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Invocation } from '../command/command.js';
import type { Device, Schemas } from '../service/types.js';

export type Lease = Schemas['Lease'];

/** A lease that has begun, with its device. */
export interface Taken {
  lease: Lease;
  device: Device;
}

/** The longest time for which one call of the service waits, seconds. */
const MAX_CALL_WAIT_S = 60;

/** Time before the next call after one that was refused at once, ms. */
const RETRY_MS = 1_000;

/**
 * Leases a phone, and waits up to `waitS` seconds for one. A call of the service waits for a minute at the most, so that a longer wait takes
 * several. Each of them takes a new place in the queue. Throws the last refusal.
 */
export async function takeLease(
  { signal, wait, nowMs }: Pick<Invocation, 'signal' | 'wait' | 'nowMs'>,
  phone: CloudPhone,
  wanted: Omit<Schemas['CreateLeaseBody'], 'wait_s'>,
  waitS: number,
): Promise<Taken> {
  const endMs = nowMs() + waitS * 1_000;
  for (;;) {
    const leftS = Math.max(0, Math.ceil((endMs - nowMs()) / 1_000));
    const body = { ...wanted, wait_s: Math.min(leftS, MAX_CALL_WAIT_S) };
    const nextMs = nowMs() + RETRY_MS;
    try {
      return await phone.post('/v1/leases', { body, signal });
    } catch (error) {
      if (!(error instanceof CloudPhoneError) || error.kind !== 'busy' || nowMs() >= endMs) throw error;
    }
    // Some refusals come at once, whatever the call would wait for.
    if (nowMs() < nextMs) await wait(Math.min(nextMs, endMs) - nowMs(), signal);
  }
}
