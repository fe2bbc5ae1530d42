import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { GroupDevice } from '../../store/groups.js';
import type { FleetContext } from '../fleet-context.js';
import { HANDOVER_POLL_MS } from '../limits.js';
import { onceAvailable } from './once-available.js';

/** The device of a step. `signal` breaks the run of the group off. */
interface Waiting {
  accountId: string;
  device: Pick<GroupDevice, 'phoneId'>;
  signal: AbortSignal;
}

/** Returns whether a hand-over refused or broke off a step that began at `sinceMs`, so that the step is to be done again. */
export async function wasHandedOver(
  context: FleetContext,
  waiting: Waiting,
  { error, sinceMs }: { error: unknown; sinceMs: number },
): Promise<boolean> {
  if (!(error instanceof ApiError) || error.kind !== 'busy') return false;
  const device = await read(context, waiting);
  if (device?.handover !== undefined) return true;
  return device?.pastHandovers?.some(({ ended }) => ended.at.getTime() >= sinceMs) ?? false;
}

/** Resolves when no person has the device any more, or the group is cancelled. Rejects with the signal's reason. */
export async function untilGivenBack(context: FleetContext, waiting: Waiting, cancelled: AbortSignal): Promise<void> {
  const { deviceNews, clock } = context;
  const { accountId, signal } = waiting;
  await deviceNews.during(accountId, async (woken) => {
    // A cancel is noticed at the next look.
    while (!cancelled.aborted && (await read(context, waiting))?.handover !== undefined)
      await woken.wait({ signal, timeout: { clock, ms: HANDOVER_POLL_MS } });
  });
}

/** Returns the device, through outages of the database; null where it is gone, which the step itself reports. */
function read({ clock, devices }: FleetContext, { device, signal }: Waiting): Promise<DeviceDocument | null> {
  return onceAvailable(clock, signal, () => devices.findById(device.phoneId));
}
