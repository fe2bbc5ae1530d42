import { CloudPhone, CloudPhoneError } from '@cloudphone/client';

/** Starts a phone unless it runs, and waits until it is usable. */
export async function ensureRunning(url: string, key: string, device: string): Promise<void> {
  const phone = new CloudPhone({ url, key });
  try {
    const { job } = await phone.post('/v1/devices/{name}/start', { params: { path: { name: device } } });
    await phone.waitForJob(job);
  } catch (error) {
    // Decide by the kind of the error. The client has waited for rate limits already.
    if (!(error instanceof CloudPhoneError) || error.kind !== 'busy') throw error;
    const { device: found } = await phone.get('/v1/devices/{name}', { params: { path: { name: device } } });
    if (found.state !== 'running') throw error;
  }
}
