import type { Call } from '../../kit/call/call.js';
import type { WorkLimit } from '../../kit/async/within.js';
import { phoneTimeout } from '../../phone/link/phone-errors.js';
import type { ReachedPhone } from '../link/reached-phone.js';

/** Completes "The phone did not …" in errors of input. */
export const TAKE_INPUT = 'take the input';

/** Returns the limit for a phone to take what was sent: the time of a command, or the end of the call. */
export function inputLimit(
  { clock, limits }: Pick<ReachedPhone, 'clock' | 'limits'>,
  { signal }: Pick<Call, 'signal'>,
): WorkLimit {
  const timeoutMs = limits.commandTimeoutMs;
  return { clock, timeoutMs, signals: [signal], onTimeout: () => phoneTimeout(TAKE_INPUT, timeoutMs) };
}
