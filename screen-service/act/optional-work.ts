import { type Call, withinCall } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { unlessAborted } from '../../kit/async/within.js';
import type { Frame } from '../capture/captures.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Returns undefined when optional work fails. Throws when the call has ended. */
export async function unlessItFails<T>(call: Call, { log }: ReachedPhone, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    call.signal.throwIfAborted();
    // Finished steps are reported all the same, so a fault of ours shows in the log only.
    if (!(error instanceof ApiError)) log.error({ err: error }, 'the screen around steps could not be read');
    return undefined;
  }
}

/** Returns the picture if it arrives before `untilMs`, monotonic ms. Undefined: it did not arrive, or it failed. */
export async function arrivedBy(
  untilMs: number,
  call: Call,
  phoneSession: ReachedPhone,
  taking: Promise<Frame | undefined>,
): Promise<Frame | undefined> {
  const { clock } = phoneSession;
  const limit = { clock, timeoutMs: untilMs - clock.monotonicMs() };
  return withinCall(call, limit, (limited) => unlessItFails(call, phoneSession, unlessAborted(limited.signal, taking)));
}
