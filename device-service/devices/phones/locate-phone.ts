import { create } from '@bufbuild/protobuf';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import {
  type IdentifyPhoneRequest,
  type LocatePhoneRequest,
  type LocatePhoneResponse,
  LocatePhoneResponseSchema,
} from '../../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { assertAllowed, assertShares, mayControl } from '../../../kit/rpc/caller.js';
import { MemberRole, Scope } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { findDeviceToChange, refusalOf } from '../../accounts/callers/leased.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import { MAX_SHARE_VIEWERS } from '../../accounts/limits.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import { noteUse } from './note-use.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Returns where a running phone's adbd listens, for a service that works for `caller`. The caller is authorized here, as the other
 * service does not do that.
 */
export async function locatePhone(
  context: DevicesContext,
  caller: Caller,
  request: LocatePhoneRequest,
): Promise<LocatePhoneResponse> {
  const device = await findUsableDevice(context.devices, caller, request);
  const endpoint = endpointOf(device);
  await noteUse(context, device);
  const refusal = refusalOf(device, caller);
  return create(LocatePhoneResponseSchema, {
    phoneId: device._id,
    generation: device.generation,
    host: endpoint.host,
    port: endpoint.port,
    accountId: device.accountId,
    screen: device.screen,
    identity: endpoint.identity,
    keyId: caller.keyId,
    helpersAllowed: context.helpers.mayRun(device),
    timeline: device.timeline === true,
    mayControl: mayControl(caller) && refusal === undefined,
    ...(refusal !== undefined && { refusal }),
    ...(caller.sharedPhoneId !== undefined && { viewersMost: MAX_SHARE_VIEWERS }),
  });
}

/** Returns where the phones of `phoneIds` listen, for a service that keeps connections to them. Phones that do not run are left out. */
export async function locatePhones(devices: DeviceStore, phoneIds: readonly string[]) {
  const found = await devices.findRunning(phoneIds);
  return found.flatMap((device) => (device.endpoint === undefined ? [] : [locationOf(device, device.endpoint)]));
}

function locationOf(
  { _id: phoneId, generation, timeline, handover }: DeviceDocument,
  { host, port, identity }: PhoneEndpoint,
) {
  const handedOver = handover !== undefined;
  return { phoneId, generation, host, port, identity, timeline: timeline === true, handedOver };
}

/** Returns where the device's phone listens. Throws busy unless the phone runs. */
export function endpointOf(device: DeviceDocument): PhoneEndpoint {
  const { endpoint } = device;
  if (device.state !== 'running' || endpoint === undefined) throw notRunning(device);
  return endpoint;
}

/**
 * Returns the device, if the caller may see it and has the scope that the request names. Throws forbidden or not_found, and busy where that
 * is scope control and another caller has a lease of the device.
 */
export function findUsableDevice(
  devices: DeviceStore,
  caller: Caller,
  {
    name,
    scope,
    shares = false,
  }: Pick<IdentifyPhoneRequest, 'name' | 'scope'> & Partial<Pick<LocatePhoneRequest, 'shares'>>,
): Promise<DeviceDocument> {
  assertShares(caller, { shares });
  assertAllowed(caller, { scope, role: MemberRole.UNSPECIFIED, withoutSecondFactor: false });
  return scope >= Scope.CONTROL ? findDeviceToChange(devices, caller, name) : findVisibleDevice(devices, caller, name);
}

function notRunning({ name, state, job }: DeviceDocument): ApiError {
  const next =
    job !== undefined
      ? `Wait for its job: GET /v1/jobs/${job.id}?wait_s=30.`
      : `Call POST /v1/devices/${name}/start first.`;
  return new ApiError('busy', `The device "${name}" is ${state}, not running. ${next}`);
}
