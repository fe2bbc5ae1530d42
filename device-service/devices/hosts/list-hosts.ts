import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { HostDocument } from '../../store/hosts.js';
import type { DevicesContext } from '../devices-context.js';

/** Returns every host with its room and the number of its devices, for the operator. */
export async function listHosts(context: DevicesContext) {
  const found = await context.hosts.list();
  return Promise.all(
    found.map(async (host) => ({
      id: host._id,
      state: host.leaseUntil.getTime() < context.clock.now() ? 'silent' : host.draining === true ? 'draining' : 'alive',
      seenAt: timestampFromDate(host.seenAt),
      devices: await context.devices.ofHost(host._id).count(),
      freeMemoryMb: Math.min(...host.drivers.map(({ freeMemoryMb }) => freeMemoryMb), MAX_MB),
      freeDiskMb: Math.min(...host.drivers.map(({ freeDiskMb }) => freeDiskMb), MAX_MB),
      drivers: host.drivers.map(({ kind }) => kind),
      problems: problemsOf(host),
    })),
  );
}

/** Returns the reasons why models are not offered on a host, one line each. */
export function problemsOf(host: HostDocument | null): string[] {
  return [...(host?.drivers.flatMap(({ problems = [] }) => problems) ?? []), ...(host?.moveProblems ?? [])];
}

/** Greatest value of the message's fields. */
const MAX_MB = 2 ** 31 - 1;
