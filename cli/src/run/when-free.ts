import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError, JobFailedError } from '../../../client/src/index.js';
import type { Wait } from '../../../client/src/platform.js';

/** Longest time for which a phone that is busy, or a service that is away, is tried again, ms. */
const MAX_TRY_MS = 600_000;

const RETRY_MS = 1_000;

interface Calls {
  phone: CloudPhone;
  wait: Wait;
  nowMs: () => number;
}

/**
 * Sends a request about a phone, such as its deletion, whatever is under way on the phone. Returns the response when the service has accepted
 * the request, which it then does whatever happens to this program. A phone that does not exist is no failure.
 */
export async function whenFree<T>(
  { phone, wait, nowMs }: Calls,
  name: string,
  send: () => Promise<T>,
): Promise<T | undefined> {
  const endMs = nowMs() + MAX_TRY_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof CloudPhoneError)) throw error;
      if (error.kind === 'not_found') return undefined;
      if (!['busy', 'unreachable', 'unavailable', 'timeout'].includes(error.kind) || nowMs() >= endMs) throw error;
      if (error.kind === 'busy') await jobOf(phone, name, endMs - nowMs());
    }
    await wait(RETRY_MS);
  }
}

/** Waits for the job that is at work on a phone, if there is one, however it ends. */
async function jobOf(phone: CloudPhone, name: string, timeoutMs: number): Promise<void> {
  try {
    const { device } = await phone.get('/v1/devices/{name}', { params: { path: { name } } });
    if (device.job !== undefined) await phone.waitForJob(device.job, { timeoutMs });
  } catch (error) {
    const isEnd = error instanceof JobFailedError || (error instanceof CloudPhoneError && error.kind === 'not_found');
    if (!isEnd) throw error;
  }
}
