import { cutPage, pageOf } from '../../../kit/call/page.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DeviceHandover, PastHandover } from '../../store/handover.js';
import type { FleetContext } from '../fleet-context.js';
import { HANDOVER_POLL_MS } from '../limits.js';

/** Returns a page of the device's hand-overs, newest first. Their ids sort by time. */
export async function listHandovers(
  { devices }: FleetContext,
  caller: Caller,
  request: { name: string; limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: (DeviceHandover | PastHandover)[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const { handover, pastHandovers = [] } = await findVisibleDevice(devices, caller, request.name);
  const all = [...(handover === undefined ? [] : [handover]), ...[...pastHandovers].reverse()];
  const rest = all.filter(({ id }) => after === undefined || id < after);
  return cutPage(rest, limit, ({ id }) => id);
}

/** Returns a hand-over once it has ended, or as it is after `waitMs`, or when the caller has left or the service stops. */
export async function awaitHandover(
  context: FleetContext,
  caller: Caller,
  { name, id, waitMs, signal }: { name: string; id: string; waitMs: number; signal: AbortSignal },
): Promise<DeviceHandover | PastHandover> {
  const { deviceNews, devices, clock } = context;
  const untilMs = clock.monotonicMs() + waitMs;
  return deviceNews.during(caller.accountId, async (woken) => {
    for (;;) {
      const found = handoverOf(await findVisibleDevice(devices, caller, name), id);
      const leftMs = untilMs - clock.monotonicMs();
      if ('ended' in found || leftMs <= 0 || signal.aborted || deviceNews.closed) return found;
      await woken.wait({ signal, timeout: { clock, ms: Math.min(leftMs, HANDOVER_POLL_MS) } });
    }
  });
}

/** Returns the device with its hand-over `id` that has not ended. Throws not_found where it has. */
export async function findOpenHandover(
  { devices }: FleetContext,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<DeviceDocument & { handover: DeviceHandover }> {
  const device = await findVisibleDevice(devices, caller, name);
  const { handover } = device;
  if (handover === undefined || handover.id !== id) throw noOpenHandover(name, id);
  return { ...device, handover };
}

export function noOpenHandover(name: string, id: string): ApiError {
  const list = `GET /v1/devices/${name}/handovers lists those of the device with their outcome.`;
  return new ApiError('not_found', `There is no hand-over "${id.slice(0, 64)}" any more. ${list}`);
}

function handoverOf({ name, handover, pastHandovers = [] }: DeviceDocument, id: string): DeviceHandover | PastHandover {
  const found = [handover, ...pastHandovers].find((one) => one?.id === id);
  if (found === undefined) throw noOpenHandover(name, id);
  return found;
}
