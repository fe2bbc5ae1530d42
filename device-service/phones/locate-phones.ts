import type { PhoneEndpoint } from '../../phone/driver.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** Where those of `phoneIds` that run listen, for a service that keeps connections to them. */
export async function locatePhones(devices: DeviceStore, phoneIds: readonly string[]) {
  const found = await devices.findRunning(phoneIds);
  return found.flatMap((device) => (device.endpoint === undefined ? [] : [locationOf(device, device.endpoint)]));
}

function locationOf({ _id: phoneId, generation, timeline }: DeviceDocument, { host, port, identity }: PhoneEndpoint) {
  return { phoneId, generation, host, port, identity, timeline: timeline === true };
}
