import { LEASE_KEYS_MS, LEASE_WATCH_MS, MAX_LEASES_A_RUN } from '../limits.js';
import { callerOfMemberId } from '../../accounts/callers/callers-of-sessions.js';
import { callersOfKeys } from '../../accounts/callers/callers-of-keys.js';
import { mayControl } from '../../../kit/rpc/caller.js';
import { maySee } from '../../../kit/rpc/may-see.js';
import type { PeriodicTask } from '../../../kit/ops/periodic-tasks.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { FleetContext } from '../fleet-context.js';
import { endLease, freeDevice } from './end-lease.js';

/**
 * Returns the periodic work on the leases of all hosts. Each process does it; each step is one conditional update, so the first one does it
 * and the others change nothing. Whatever a crash leaves of a lease is completed here, within a second.
 */
export function leaseMaintenance(context: FleetContext): PeriodicTask[] {
  return [
    { name: 'end leases whose time is over', everyMs: LEASE_WATCH_MS, run: () => endExpired(context) },
    { name: 'end leases of holders without the right', everyMs: LEASE_KEYS_MS, run: () => endWithoutRight(context) },
  ];
}

async function endExpired(context: FleetContext): Promise<void> {
  const { devices, clock } = context;
  for (const device of await devices.leases.findOver(new Date(clock.now()), MAX_LEASES_A_RUN)) {
    await logged(context, device, async () => {
      if (device.lease?.ended === undefined) await endLease(context, device, 'expired', { ifExpired: true });
      else await freeDevice(context, device);
    });
  }
}

/**
 * Ends the leases of keys that were revoked or have expired, and of people who left the account. It also ends those of holders who may only
 * look, or may not see the device any more.
 */
async function endWithoutRight(context: FleetContext): Promise<void> {
  const { devices, keys, clock } = context;
  const leased = await devices.leases.findLeased(MAX_LEASED);
  const ofKeys = leased.filter(({ lease }) => lease?.isOwner !== true);
  const good = await keys.findGood([...new Set(ofKeys.map(keyOf))], new Date(clock.now()));
  const callers = await callersOfKeys(context, good);
  for (const device of leased) {
    const { accountId, lease } = device;
    // A lease of the release before does not name its member.
    if (lease?.isOwner === true && lease.memberId === undefined) continue;
    const caller =
      lease?.memberId === undefined
        ? callers.get(keyOf(device))
        : await callerOfMemberId(context, accountId, lease.memberId, lease.keyId);
    if (caller !== undefined && mayControl(caller) && maySee(caller, device)) continue;
    await logged(context, device, () => endLease(context, device, 'ended_by_owner'));
  }
}

/** Leases whose holders are looked up in one run. The number is far above those of a large installation. */
const MAX_LEASED = 10_000;

function keyOf({ lease }: DeviceDocument): string {
  return lease?.keyId ?? '';
}

/** One device that fails delays no other one. */
async function logged({ log }: FleetContext, device: DeviceDocument, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ lease: device.lease?.id, device: device.name, err: error }, 'a lease could not be ended; trying again');
  }
}
