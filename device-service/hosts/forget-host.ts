import { ApiError } from '../../kit/errors.js';
import type { DeviceStore } from '../store/devices.js';
import type { HostStore } from '../store/hosts.js';

export interface ForgetHostParts {
  devices: DeviceStore;
  hosts: HostStore;
  clock: { now(): number };
  /** The host of this process. */
  own: { hostId: string; epoch: number; driver: string };
  /** Called for each device that this host has got, whose phone was last alive at `lostMs`. */
  onAdopted: (phoneId: string, lostMs: number) => void;
}

/**
 * Forgets a host that is gone for good: its devices become this host's, which has none of their phones. So its loop sees to the rest
 * as for any lost phone: DELETEs are done, other jobs fail, the devices report `data_lost` and are charged up to when their host was
 * last alive.
 *
 * The host's record goes first, so that its process, should it come back, loses its lease and has every write refused by the fence. A
 * crash after that is mended by calling this again. Returns the number of devices.
 */
export async function forgetHost(parts: ForgetHostParts, hostId: string): Promise<number> {
  const { devices, hosts, clock, own, onAdopted } = parts;
  const host = await hosts.find(hostId);
  if (hostId === own.hostId || (host !== null && host.leaseUntil.getTime() > clock.now())) {
    throw new ApiError(
      'busy',
      `The host "${hostId}" is alive. Stop its service first. To give it no new devices, drain it: host drain --id ${hostId}`,
    );
  }
  const left = await devices.findOfHost(hostId);
  if (host === null && left.length === 0) throw new ApiError('not_found', `There is no host "${hostId}".`);
  if (host !== null && !(await hosts.delete(host))) {
    throw new ApiError('busy', `The host "${hostId}" has just come back. It was not forgotten.`);
  }
  await devices.moveHost(hostId, own);
  for (const { _id } of left) onAdopted(_id, host?.seenAt.getTime() ?? 0);
  return left.length;
}
