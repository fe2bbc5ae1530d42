import { ApiError } from '../../../kit/errors/api-error.js';
import type { DeviceStore } from '../../store/devices.js';
import type { HostDocument, HostStore } from '../../store/hosts.js';
import type { LibraryCopyStore } from '../../store/library-copies.js';
import type { RecordingStore } from '../../store/recordings.js';
import type { SnapshotStore } from '../../store/snapshots.js';
import type { TemplateStore } from '../../store/templates.js';

export interface ForgetHostParts {
  devices: DeviceStore;
  libraryCopies: LibraryCopyStore;
  recordings: RecordingStore;
  snapshots: SnapshotStore;
  templates: TemplateStore;
  hosts: HostStore;
  clock: { now(): number };
  /** The host of this process. */
  own: { hostId: string; epoch: number; driver: string };
  /** Called when devices have moved to this host. */
  onAdopted: () => void;
}

/**
 * Forgets a host that is gone for good. Moves its devices to this host, which does not have their phones. So this host treats them as lost
 * phones: DELETE jobs are done, other jobs fail, and the devices report `data_lost`. Devices are charged up to the time when their old host
 * was last alive. The update that moves them records that time (`lostAt`).
 *
 * The old host is marked first, with the next epoch, so its process has lost its lease if it comes back. Once the devices have moved, the
 * fence refuses every write of the old epoch. After a crash in between, every host can finish the move by `finishForgetting`, and so can
 * another call of this function. Returns the number of devices that moved.
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
 * Moves devices that still belong to forgotten hosts. They are left when a crash interrupted a move, or when a device was created on the
 * host during the move. Every host calls this regularly. The fence makes sure that each device moves once.
 */
export async function finishForgetting(parts: ForgetHostParts): Promise<void> {
  for (const host of await parts.hosts.listForgotten()) await adopt(parts, host);
}

async function adopt(
  { devices, libraryCopies, recordings, snapshots, templates, own, onAdopted }: ForgetHostParts,
  host: HostDocument,
): Promise<number> {
  // Snapshots come first, as a device that has moved must find none of its snapshots ready.
  await snapshots.moveHost(host._id, own.hostId);
  await templates.forgetHost(host._id);
  await recordings.forgetHost(host._id);
  await libraryCopies.forgetHost(host._id);
  const moved = await devices.ofHost(host._id).moveAll({ epoch: host.epoch, lostAt: host.seenAt }, own);
  if (moved > 0) onAdopted();
  return moved;
}
