import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError, JobFailedError } from '../../../client/src/index.js';
import type { Wait } from '../../../client/src/platform.js';

/** Longest time for which a phone that is busy, or a service that is away, is tried again, ms. */
const MAX_TRY_MS = 600_000;

const RETRY_MS = 1_000;

/**
 * Deletes a phone, whatever is under way on it. Returns when the service has accepted the deletion, which it then does whatever happens to
 * this program. A phone that does not exist is no failure.
 */
export async function removePhone(phone: CloudPhone, name: string, wait: Wait, nowMs: () => number): Promise<void> {
  const endMs = nowMs() + MAX_TRY_MS;
  const params = { path: { name } };
  for (;;) {
    try {
      await phone.delete('/v1/devices/{name}', { params });
      return;
    } catch (error) {
      if (!(error instanceof CloudPhoneError)) throw error;
      if (error.kind === 'not_found') return;
      if (!['busy', 'unreachable', 'unavailable', 'timeout'].includes(error.kind) || nowMs() >= endMs) throw error;
      if (error.kind === 'busy') await jobOf(phone, name, endMs - nowMs());
    }
    await wait(RETRY_MS);
  }
}

/** Waits for the job that is at work on a phone, if there is one, however it ends. A deletion under way needs no other. */
async function jobOf(phone: CloudPhone, name: string, timeoutMs: number): Promise<void> {
  try {
    const { device } = await phone.get('/v1/devices/{name}', { params: { path: { name } } });
    if (device.job !== undefined) await phone.waitForJob(device.job, { timeoutMs });
  } catch (error) {
    const isEnd = error instanceof JobFailedError || (error instanceof CloudPhoneError && error.kind === 'not_found');
    if (!isEnd) throw error;
  }
}
