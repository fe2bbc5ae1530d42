import type { PhoneEndpoint } from '../../phone/driver.js';
import type { DeviceStore } from '../store/devices.js';

/** Where those of `phoneIds` that run listen, for a service that keeps connections to them. */
export async function locatePhones(devices: DeviceStore, phoneIds: readonly string[]) {
  const found = await devices.findRunning(phoneIds);
  return found.flatMap(({ _id, generation, endpoint }) =>
    endpoint === undefined ? [] : [locationOf(_id, generation, endpoint)],
  );
}

function locationOf(phoneId: string, generation: number, { host, port, identity }: PhoneEndpoint) {
  return { phoneId, generation, host, port, identity };
}
