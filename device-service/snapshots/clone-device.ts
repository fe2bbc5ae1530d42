import { ApiError } from '../../kit/errors.js';
import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CloneSnapshotRequest } from '../../proto/gen/cloudphone/device/v1/snapshot_service_pb.js';
import { chosenExit } from '../devices/create-device.js';
import { makeDevice, type MakeDeviceParts } from '../devices/make-device.js';
import { type Place, placesFor } from '../hosts/place-phone.js';
import type { ChosenIds } from '../idempotency/once.js';
import type { PlanWord } from '../store/device-document.js';
import type { DeviceExit } from '../store/device-exit.js';
import type { DeviceDocument } from '../store/devices.js';
import type { SnapshotDocument, SnapshotStore } from '../store/snapshots.js';
import { assertReady, findSnapshot } from './find-snapshot.js';

/** Creates a device from a snapshot, on the snapshot's host: paid for and named like any new one. */
export function cloneDevice(
  parts: MakeDeviceParts & { snapshots: SnapshotStore },
  caller: Caller,
  request: CloneSnapshotRequest,
  ids?: ChosenIds,
): Promise<DeviceDocument> {
  const { name, plan, start = true, id } = request;
  const design = async (phoneId: string) => {
    const { device, snapshot } = await findSnapshot(parts, caller, request.device, id);
    assertReady(snapshot);
    const place = await placeOf(parts, snapshot);
    return {
      name,
      start,
      places: [place] as const,
      plan: plan === undefined ? device.plan : (wordOf(PlanSchema, plan) as PlanWord),
      android: snapshot.android,
      exit: exitFor(parts, request, place, device, phoneId),
      job: { kind: 'clone' as const, snapshot: id },
      storageBytes: snapshot.sizeBytes ?? 0,
    };
  };
  return makeDevice(parts, caller, design, ids);
}

/** The snapshot's host: its files are there alone. */
async function placeOf({ places }: MakeDeviceParts, { model, hostId, driver }: SnapshotDocument): Promise<Place> {
  const roomy = await placesFor(places, model);
  const place = roomy.find((one) => one.hostId === hostId && one.driver === driver);
  if (place !== undefined) return place;
  const message =
    'The host that has the snapshot takes no other phone now: it is away, or has no room. Stop or delete a device, or try again later.';
  throw new ApiError('unavailable', message, { retryAfterS: 60 });
}

function exitFor(
  { exits }: MakeDeviceParts,
  { network }: CloneSnapshotRequest,
  place: Place,
  { _id, name, exit }: DeviceDocument,
  phoneId: string,
): DeviceExit {
  if (network !== undefined) return chosenExit(exits, place, network);
  if (exit.type === 'custom') return exits.passOn(exit, { from: _id, name, to: phoneId });
  const { type, country, timezone } = exit;
  return exits.allocate({ type, country, timezone });
}
