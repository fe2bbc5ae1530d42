import { ApiError } from '../../kit/errors/api-error.js';
import type { DeviceDocument } from '../store/devices.js';

/**
 * Most events that a device has when a lease or a hand-over of it begins. They wait in its document while the webhook service is away, and a
 * document has a bound of 16 MB, at which nothing of the device could change any more.
 */
export const MAX_WAITING_EVENTS = 300;

/** Throws unavailable where too many events of a device wait for the webhook service. Jobs take their time, and are not refused. */
export function assertEventsSent({ name, deviceEvents = [] }: Pick<DeviceDocument, 'name' | 'deviceEvents'>): void {
  if (deviceEvents.length < MAX_WAITING_EVENTS) return;
  const message = `${deviceEvents.length} events of "${name}" wait to be sent, the most at a time. Try again later.`;
  throw new ApiError('unavailable', message, { retryAfterS: 10 });
}
