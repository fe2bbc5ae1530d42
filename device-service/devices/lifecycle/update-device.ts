import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { UpdateDeviceRequest } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { replaceLabels } from '../../record/replace-labels.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';
import { setIdleStop } from './idle-stop.js';

/** Changes labels, timeline and idle stop of a device, each only where the request names it. Returns the device. */
export async function updateDevice(
  context: DevicesContext,
  caller: Caller,
  { name, labels, timeline, idleStopS }: UpdateDeviceRequest,
): Promise<DeviceDocument> {
  let device = await changeLabels(context.devices, caller, name, labels);
  if (timeline !== undefined) device = await switchTimeline(context.devices, device, timeline);
  if (idleStopS !== undefined) device = await setIdleStop(context, caller, name, idleStopS);
  return device;
}

function changeLabels(
  devices: DeviceStore,
  caller: Caller,
  name: string,
  change: Readonly<Record<string, string>>,
): Promise<DeviceDocument> {
  const device = {
    name: `"${name}"`,
    read: () => findDeviceToChange(devices, caller, name),
    replace: (read: DeviceDocument, labels: string[]) => devices.settings.replaceLabels(read, labels),
  };
  return replaceLabels(device, change);
}

async function switchTimeline(
  devices: DeviceStore,
  { timeline: _before, ...device }: DeviceDocument,
  isOn: boolean,
): Promise<DeviceDocument> {
  await devices.settings.setTimeline(device._id, isOn);
  return isOn ? { ...device, timeline: true } : device;
}
