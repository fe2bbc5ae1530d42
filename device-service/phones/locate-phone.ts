import { create } from '@bufbuild/protobuf';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { PhoneEndpoint } from '../../phone/driver.js';
import {
  type IdentifyPhoneRequest,
  type LocatePhoneRequest,
  type LocatePhoneResponse,
  LocatePhoneResponseSchema,
} from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { assertScope, assertShares } from '../../kit/rpc/caller.js';
import { findVisibleDevice } from '../access/visibility.js';
import { noteUse } from '../devices/idle-stop.js';
import { SHARE_VIEWERS_MOST } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { ResidentHelpers } from './resident-helpers.js';

/**
 * Returns where a running phone's adbd listens, for a service that works for `caller`. The other service does not authorize: that
 * is done here.
 */
export async function locatePhone(
  parts: { devices: DeviceStore; helpers: Pick<ResidentHelpers, 'mayRun'>; clock: Clock },
  caller: Caller,
  request: LocatePhoneRequest,
): Promise<LocatePhoneResponse> {
  const device = await findUsableDevice(parts.devices, caller, request);
  const endpoint = endpointOf(device);
  await noteUse(parts, device);
  return create(LocatePhoneResponseSchema, {
    phoneId: device._id,
    generation: device.generation,
    host: endpoint.host,
    port: endpoint.port,
    accountId: device.accountId,
    screen: device.screen,
    identity: endpoint.identity,
    keyId: caller.keyId,
    helpersAllowed: parts.helpers.mayRun(device),
    timeline: device.timeline === true,
    ...(caller.sharedPhoneId !== undefined && { viewersMost: SHARE_VIEWERS_MOST }),
  });
}

/** Where the device's phone listens; busy unless it runs. */
export function endpointOf(device: DeviceDocument): PhoneEndpoint {
  const { endpoint } = device;
  if (device.state !== 'running' || endpoint === undefined) throw notRunning(device);
  return endpoint;
}

/** The device, if the caller may see it and has the scope that the request names. Throws forbidden or not_found. */
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
  assertScope(caller, scope);
  return findVisibleDevice(devices, caller, name);
}

function notRunning({ name, state, job }: DeviceDocument): ApiError {
  const next =
    job !== undefined
      ? `Wait for its job: GET /v1/jobs/${job.id}?wait_s=30.`
      : `Call POST /v1/devices/${name}/start first.`;
  return new ApiError('busy', `The device "${name}" is ${state}, not running. ${next}`);
}
