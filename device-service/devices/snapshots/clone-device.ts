import { ApiError } from '../../../kit/errors/api-error.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { PlanSchema } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CloneSnapshotRequest } from '../../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { chosenExit } from '../lifecycle/create-device.js';
import { makeDevice } from '../lifecycle/make-device.js';
import { type Place, placesFor } from '../hosts/place-phone.js';
import type { ChosenIds } from '../idempotency/once.js';
import { SIMULATED_DRIVER } from '../network/host-exit.js';
import type { PlanWord } from '../../store/device-document.js';
import type { DeviceExit } from '../../store/device-exit.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import { assertSnapshotReady } from '../../record/snapshot-ready.js';
import { findSnapshot } from './snapshots.js';
import type { DevicesContext } from '../devices-context.js';

/** Creates a device from a snapshot, on the snapshot's host. It is paid for and named like any new device. */
export function cloneDevice(
  context: DevicesContext,
  caller: Caller,
  request: CloneSnapshotRequest,
  ids?: ChosenIds,
): Promise<DeviceDocument> {
  const { name, plan, start = true, id } = request;
  const design = async (phoneId: string) => {
    const { device, snapshot } = await findSnapshot(context, caller, request.device, id);
    assertSnapshotReady(snapshot);
    const place = await placeOf(context, snapshot);
    return {
      name,
      start,
      places: [place] as const,
      plan: plan === undefined ? device.plan : (wordOf(PlanSchema, plan) as PlanWord),
      android: snapshot.android,
      exit: exitFor(context, request, place, device, phoneId),
      job: { kind: 'clone' as const, snapshot: id },
      storageBytes: snapshot.sizeBytes ?? 0,
    };
  };
  return makeDevice(context, caller, design, ids);
}

/** Returns the snapshot's host, as only that host has its files. */
async function placeOf(context: DevicesContext, { model, hostId, driver }: SnapshotDocument): Promise<Place> {
  const roomy = await placesFor(context, model);
  const place = roomy.find((one) => one.hostId === hostId && one.driver === driver);
  if (place !== undefined) return place;
  const message =
    'The host that has the snapshot takes no other phone now: it is away, or has no room. Stop or delete a device, or try again later.';
  throw new ApiError('unavailable', message, { retryAfterS: 60 });
}

function exitFor(
  { exits }: DevicesContext,
  { network }: CloneSnapshotRequest,
  place: Place,
  device: DeviceDocument,
  phoneId: string,
): DeviceExit {
  if (network !== undefined) return chosenExit(exits, place, network);
  const { _id, name } = device;
  const exit = exits.corrected(device) ?? device.exit;
  if (exit.type === 'custom') return exits.passOn(exit, { from: _id, name, to: phoneId });
  const { type, country, timezone, address } = exit;
  // The host's own connection is no choice from a list, and the clone's clock shows the zone of the device's.
  if (type === 'direct' && exit.source === undefined && place.driver !== SIMULATED_DRIVER)
    return { type, country, timezone };
  return exits.allocate({ type, country, timezone, besides: address }, place);
}
