import { newJob } from '../../record/new-job.js';
import { withStateEvent } from '../../record/state-event.js';
import { transitions } from '../../record/transitions.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PoolDocument } from '../../store/pools.js';
import type { FleetContext } from '../fleet-context.js';
import { warmDay, warmMinutes } from './warm-minutes.js';

/**
 * Begins the deletion of a phone that nobody has. Does nothing where it was leased meanwhile. A crash behind it loses its warm minutes.
 * `pool` is null where the pool is gone.
 */
export async function removePhone(
  { devices, pools, dispatch, clock }: FleetContext,
  pool: PoolDocument | null,
  device: DeviceDocument,
): Promise<void> {
  const { from, change } = transitions.delete;
  if (!from.includes(device.state)) return;
  const job = newJob(clock, { kind: 'delete', requestedBy: device.createdBy });
  const claimed = await devices.pools.claimDelete(
    device,
    from,
    job,
    withStateEvent(device.state, { ...change }, clock.now()),
  );
  if (claimed === undefined) return;
  dispatch.begin(claimed);
  const minutes = warmMinutes(device, clock.now());
  if (pool !== null && minutes > 0) await pools.addWarm(pool._id, warmDay(clock.now()), minutes);
}
