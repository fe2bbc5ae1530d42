import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { DeviceStore } from '../store/devices.js';
import type { HostDocument, HostStore } from '../store/hosts.js';

/** Every host with its room and the number of its devices, for the operator. */
export async function listHosts(parts: { hosts: HostStore; devices: DeviceStore; clock: { now(): number } }) {
  const found = await parts.hosts.list();
  return Promise.all(
    found.map(async (host) => ({
      id: host._id,
      state: host.leaseUntil.getTime() < parts.clock.now() ? 'silent' : host.draining === true ? 'draining' : 'alive',
      seenAt: timestampFromDate(host.seenAt),
      devices: await parts.devices.ofHost(host._id).count(),
      freeMemoryMb: Math.min(...host.drivers.map(({ freeMemoryMb }) => freeMemoryMb), MOST_MB),
      freeDiskMb: Math.min(...host.drivers.map(({ freeDiskMb }) => freeDiskMb), MOST_MB),
      drivers: host.drivers.map(({ kind }) => kind),
      problems: problemsOf(host),
    })),
  );
}

/** Why models are not offered on a host, a line each. */
export function problemsOf(host: HostDocument | null): string[] {
  return host?.drivers.flatMap(({ problems = [] }) => problems) ?? [];
}

/** Greatest value of the message's fields. */
const MOST_MB = 2 ** 31 - 1;
