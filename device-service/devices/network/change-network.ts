import { ApiError } from '../../../kit/errors/api-error.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ExitTypeSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { ChangeNetworkRequest } from '../../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { findDeviceToChange } from '../../accounts/callers/leased.js';
import { exitIsFixed } from '../hosts/place-phone.js';
import { acceptJob, assertMayBegin } from '../jobs/accept-job.js';
import type { DeviceExit } from '../../store/device-exit.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { Exits } from './exits.js';
import type { DevicesContext } from '../devices-context.js';

/** Accepts the change of a device's exit: to one that is on sale, or to the caller's own proxy. */
export async function changeNetwork(
  context: DevicesContext,
  caller: Caller,
  request: ChangeNetworkRequest,
): Promise<DeviceDocument> {
  const device = await findDeviceToChange(context.devices, caller, request.name);
  await assertExitChanges(context, device);
  const exit = chosenExit(context.exits, device, request);
  const zoneIsFree = request.timezone === undefined;
  return acceptJob(context, device, {
    kind: 'network',
    requestedBy: caller.keyId,
    work: { kind: 'network', exit, zoneIsFree },
  });
}

/** Accepts the change of a device's address, at its present exit. */
export async function rotateNetwork(context: DevicesContext, caller: Caller, name: string): Promise<DeviceDocument> {
  const device = await findDeviceToChange(context.devices, caller, name);
  await assertExitChanges(context, device);
  assertMayBegin(device, 'rotate');
  // This throws where the exit has only one address.
  context.exits.rotated(device.exit);
  return acceptJob(context, device, { kind: 'rotate', requestedBy: caller.keyId, work: { kind: 'rotate' } });
}

function chosenExit(exits: Exits, device: DeviceDocument, request: ChangeNetworkRequest): DeviceExit {
  const { type, country, timezone, proxy } = request;
  const zone = timezone === undefined ? {} : { timezone };
  if (proxy !== undefined) {
    if (type !== undefined || country !== undefined) {
      throw new ApiError('bad_request', 'proxy does not go together with type and country: send one or the other');
    }
    return exits.custom(device._id, { proxy, ...zone }, device.exit.timezone);
  }
  if (type === undefined || country === undefined) {
    throw new ApiError('bad_request', 'send type and country (GET /v1/network/options lists them), or proxy');
  }
  return exits.allocate(
    { type: wordOf(ExitTypeSchema, type), country, ...zone },
    { driver: device.driver, exit: true },
    '',
  );
}

async function assertExitChanges(context: DevicesContext, { name, model, driver }: DeviceDocument): Promise<void> {
  if (!(await exitIsFixed(context, driver))) return;
  throw new ApiError(
    'bad_request',
    `The exit of "${name}" cannot be changed: phones of model "${model}" have a network of their own.`,
  );
}
