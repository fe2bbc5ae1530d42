import { ApiError } from '../../kit/errors.js';
import type { DeviceStore } from '../store/devices.js';
import type { HostDocument, HostStore } from '../store/hosts.js';
import type { SnapshotStore } from '../store/snapshots.js';

export interface ForgetHostParts {
  devices: DeviceStore;
  snapshots: SnapshotStore;
  hosts: HostStore;
  clock: { now(): number };
  /** The host of this process. */
  own: { hostId: string; epoch: number; driver: string };
  /** Called when this host has got devices. */
  onAdopted: () => void;
}

/**
 * Forgets a host that is gone for good: its devices become this host's, which has none of their phones. So its loop treats them
 * like any lost phone: DELETEs are done, other jobs fail, the devices report `data_lost` and are charged up to when their host was
 * last alive, which is written in them (`lostAt`) by the update that moves them.
 *
 * The host is marked first, with the next epoch: its process, should it come back, has lost its lease, and every write of the old
 * epoch is refused by the fence once the devices have moved. After a crash in between, any host goes on (finishForgetting), or this
 * does when it is called again. Returns the number of devices that moved.
 */
export async function forgetHost(parts: ForgetHostParts, hostId: string): Promise<number> {
  const { hosts, clock, own } = parts;
  const host = await hosts.find(hostId);
  if (host === null) throw new ApiError('not_found', `There is no host "${hostId}".`);
  if (host.forgotten === true) return adopt(parts, host);
  if (hostId === own.hostId || host.leaseUntil.getTime() > clock.now()) {
    throw new ApiError(
      'busy',
      `The host "${hostId}" is alive. Stop its service first. To give it no new devices, drain it: host drain --id ${hostId}`,
    );
  }
  const forgotten = await hosts.forget(host);
  if (forgotten === undefined) {
    throw new ApiError('busy', `The host "${hostId}" has just come back. It was not forgotten.`);
  }
  return adopt(parts, forgotten);
}

/**
 * Moves devices that still belong to forgotten hosts: a crash came in the middle of it, or one was created there at the same time.
 * Called regularly by every host; the fence makes sure that each device moves once.
 */
export async function finishForgetting(parts: ForgetHostParts): Promise<void> {
  for (const host of await parts.hosts.listForgotten()) await adopt(parts, host);
}

async function adopt({ devices, snapshots, own, onAdopted }: ForgetHostParts, host: HostDocument): Promise<number> {
  // First: a device that has moved must find none of its snapshots ready.
  await snapshots.moveHost(host._id, own.hostId);
  const moved = await devices.ofHost(host._id).moveAll({ epoch: host.epoch, lostAt: host.seenAt }, own);
  if (moved > 0) onAdopted();
  return moved;
}
