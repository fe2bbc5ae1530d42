import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { Cancellation } from '../../../kit/async/within.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { HeldFiles } from '../../../phone/driver.js';
import type { DevicesContext } from '../devices-context.js';
import { MAX_HOLD_MS } from '../limits.js';

/**
 * Keeps a phone still until `signal` aborts, or for MAX_HOLD_MS, and yields its files once. The phone goes on before the generator ends. If
 * the process is killed, the driver lets the phone go on at the next start.
 */
export async function* holdPhone(
  { devices, drivers, hostId, clock }: Pick<DevicesContext, 'devices' | 'drivers' | 'hostId' | 'clock'>,
  phoneId: string,
  signal: AbortSignal,
): AsyncGenerator<{ files: HeldFiles[] }, void, undefined> {
  const device = await devices.findById(phoneId);
  if (device === null || device.gone === true || device.hostId !== hostId)
    throw new ApiError('not_found', `There is no phone ${phoneId} on this host.`);
  if (device.job !== undefined) throw new ApiError('busy', `A job is at work on "${device.name}". Try again later.`);
  const driver = drivers.of(device);
  if (driver.keepStill === undefined)
    throw new ApiError('bad_request', `Phones of kind "${device.driver}" cannot be kept still while they are on.`);
  const onTimeout = (): Error => new ApiError('timeout', 'The phone was held for too long, and goes on.');
  const hold = new Cancellation([signal], { clock, timeoutMs: MAX_HOLD_MS, onTimeout });
  const over = new Promise<void>((resolve) => {
    hold.signal.addEventListener('abort', () => resolve(), { once: true });
    if (hold.signal.aborted) resolve();
  });
  let onFiles: (files: readonly HeldFiles[]) => void = () => undefined;
  const files = new Promise<readonly HeldFiles[]>((resolve) => (onFiles = resolve));
  const use = (found: readonly HeldFiles[]): Promise<void> => {
    onFiles(found);
    return over;
  };
  const held = begunAhead(driver.keepStill(phoneId, use, { signal: hold.signal }));
  try {
    const found = await Promise.race([files, held]);
    if (found !== undefined) yield { files: [...found] };
    await over;
  } finally {
    hold.abort();
    await held;
  }
}
