import { type Call, during } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { unlessAborted } from '../../kit/within.js';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/** Returns undefined when optional work fails. Throws when the call has ended. */
export async function unlessItFails<T>(call: Call, { log }: KeptPhone, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    call.signal.throwIfAborted();
    // Finished steps are reported all the same, so a fault of ours shows in the log only.
    if (!(error instanceof ApiError)) log.error({ err: error }, 'the screen around steps could not be read');
    return undefined;
  }
}

/** The picture, if it arrives by then, monotonic ms. */
export async function arrivedBy(
  untilMs: number,
  call: Call,
  kept: KeptPhone,
  taking: Promise<Frame | undefined>,
): Promise<Frame | undefined> {
  const { clock } = kept;
  const limit = { clock, timeoutMs: untilMs - clock.monotonicMs() };
  return during(call, limit, (limited) => unlessItFails(call, kept, unlessAborted(limited.signal, taking)));
}
