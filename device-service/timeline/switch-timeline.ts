import type { DeviceDocument, DeviceStore } from '../store/devices.js';

/** Switches the timeline of a device on or off. Returns the device. */
export async function switchTimeline(
  devices: DeviceStore,
  { timeline: _before, ...device }: DeviceDocument,
  isOn: boolean,
): Promise<DeviceDocument> {
  await devices.setTimeline(device._id, isOn);
  return isOn ? { ...device, timeline: true } : device;
}
