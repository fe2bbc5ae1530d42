import type { Clock } from '../../../kit/async/clock.js';
import type { DeviceStore } from '../../store/devices.js';

/** Returns where the running phones of a host are, for the screen service that watches their logs. */
export async function watchedPhones(devices: DeviceStore, hostId: string, clock: Pick<Clock, 'now'>) {
  const running = await devices.ofHost(hostId).find(['running']);
  return running.flatMap(({ _id: phoneId, name, generation, endpoint, screen, startedAt }) => {
    if (endpoint === undefined) return [];
    const { host, port, identity } = endpoint;
    const uptimeS = startedAt === undefined ? 0 : Math.ceil(Math.max(0, clock.now() - startedAt.getTime()) / 1_000);
    return [{ phoneId, name, generation, host, port, identity, screen, uptimeS }];
  });
}
