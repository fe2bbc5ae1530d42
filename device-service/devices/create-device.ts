import { ApiError } from '../../kit/errors.js';
import { createId, randomText } from '../../kit/ids.js';
import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { ExitTypeSchema, PlanSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import type { CreateDeviceRequest } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type CreationPaymentParts, keepPayment, payForCreation } from '../billing/creation-payment.js';
import { type HostModel, type Place, type PlaceParts, placesFor, slotKey } from '../hosts/place-phone.js';
import type { ChosenIds } from '../idempotency/once.js';
import type { JobParts } from '../jobs/accept-job.js';
import { newJob } from '../jobs/new-job.js';
import type { Exits } from '../network/exits.js';
import type { PlanWord } from '../store/device-document.js';
import { type DeviceDocument, nameKey } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import { noMinutes } from './running-minutes.js';

export interface CreateDeviceParts extends JobParts, CreationPaymentParts {
  jobs: JobStore;
  exits: Exits;
  places: PlaceParts;
}

/** How often a made-up name may turn out to be taken before something else must be wrong. */
const NAME_TRIES = 5;

/**
 * Creates a device from a model, a network and a plan. The money is seen to first; then one insert makes the device together with its
 * create job, and the rest is the job's work.
 *
 * With `ids` (chosen for an Idempotency-Key) it is safe to do again after a crash anywhere: the charge is known by the phone id, and
 * a device that was made is found.
 */
export async function createDevice(
  parts: CreateDeviceParts,
  caller: Caller,
  request: CreateDeviceRequest,
  ids?: ChosenIds,
): Promise<DeviceDocument> {
  const before = ids === undefined ? null : await findMade(parts, ids);
  if (before !== null) {
    // Perhaps the reply to its insert was lost, so that nobody has begun its job.
    if (before.job !== undefined) parts.hosts.wake(before);
    return before;
  }
  const [place, ...others] = await placesFor(parts.places, request.model);
  if (place === undefined) throw new Error('no place');
  const draft = draftDevice(parts, caller, request, place, ids);
  const payment = await payForCreation(parts, draft, {
    start: request.start ?? true,
    ...(ids !== undefined && { reservedMs: ids.keptMs }),
  });
  const made = await insertDevice(parts, draft, [place, ...others], request.name === undefined);
  if (typeof made !== 'string') return made;
  await payment.giveBack();
  if (made === 'no slot') throw noneFree(request.model, [place, ...others]);
  throw new ApiError(
    'bad_request',
    `name: "${draft.name}" is taken by another device of this account. Choose another.`,
  );
}

/** Inserts the device with a name that is free and, where phones are taken and not made, with a phone that is free. */
async function insertDevice(
  parts: CreateDeviceParts,
  draft: DeviceDocument,
  places: readonly Place[],
  mayRename: boolean,
): Promise<DeviceDocument | 'no name' | 'no slot'> {
  let names = NAME_TRIES;
  let device = draft;
  for (const place of places) {
    const at = { ...device, hostId: place.hostId, fence: place.epoch, driver: place.driver };
    for (const taken of await freeSlots(parts, place)) {
      device = { ...at, ...taken };
      for (;;) {
        if (await parts.devices.insert(device)) {
          parts.hosts.begin(device);
          return device;
        }
        // Refused for its name, for its slot, or because an earlier try made this very device.
        const made = await parts.devices.findById(device._id);
        if (made !== null) {
          // Its job may have done so before this try reserved it anew.
          await keepPayment(parts, made);
          parts.hosts.wake(made);
          return made;
        }
        if ((await parts.devices.findByName(device.accountId, device.name)) === null) break;
        if (!mayRename || --names === 0) return 'no name';
        device = named(device, madeUpName());
      }
    }
  }
  return 'no slot';
}

/** The slots that a device may try to get at a place, as fields of its document; one without fields where phones are made. */
async function freeSlots(
  { devices }: CreateDeviceParts,
  place: Place,
): Promise<Pick<DeviceDocument, 'slot' | 'slotKey'>[]> {
  if (place.slots === undefined) return [{}];
  const keys = new Map(place.slots.map((slot) => [slotKey(place, slot), slot]));
  const taken = await devices.findTakenSlots([...keys.keys()]);
  return [...keys].filter(([key]) => !taken.has(key)).map(([key, slot]) => ({ slot, slotKey: key }));
}

function noneFree(model: string, places: readonly Place[]): ApiError {
  const count = places.reduce((sum, { slots }) => sum + (slots?.length ?? 0), 0);
  return new ApiError(
    'busy',
    `None of the ${count} phones of model "${model}" is free. Delete a device that has one, or choose another model.`,
  );
}

/** What an earlier try made. Throws not_found when it has been deleted since: making it once more would be a second device. */
async function findMade({ devices, jobs }: CreateDeviceParts, ids: ChosenIds): Promise<DeviceDocument | null> {
  const device = await devices.findById(ids.phoneId);
  if (device !== null && device.gone !== true) return device;
  if (device === null && (await jobs.find(ids.jobId)) === null) return null;
  throw new ApiError('not_found', 'The device that this request made has been deleted since.');
}

function draftDevice(
  parts: CreateDeviceParts,
  caller: Caller,
  request: CreateDeviceRequest,
  place: Place,
  ids: ChosenIds | undefined,
): DeviceDocument {
  const { model } = place;
  const android = findAndroid(model, request.android);
  const network = request.network;
  if (network === undefined) throw new ApiError('bad_request', 'network is missing');
  const type = wordOf(ExitTypeSchema, network.type);
  if (!place.exit && type !== 'direct') {
    throw new ApiError(
      'bad_request',
      `network.type: "${type}" cannot be had with model "${model.model}", whose phones have a network of their own. Only direct can.`,
    );
  }
  const { address, ...allocated } = parts.exits.allocate({
    type,
    country: network.country,
    ...(network.timezone !== undefined && { timezone: network.timezone }),
  });
  // Where the service does not make the way out, it does not know its address.
  const exit = place.exit && address !== undefined ? { ...allocated, address } : allocated;
  const nowMs = parts.clock.now();
  const name = request.name ?? madeUpName();
  const start = request.start ?? true;
  const job = newJob(parts.clock, { kind: 'create', requestedBy: caller.keyId, startAfter: start });
  return {
    _id: ids?.phoneId ?? createId('ph', nowMs),
    accountId: caller.accountId,
    name,
    nameKey: nameKey(caller.accountId, name),
    createdBy: caller.keyId,
    hostId: place.hostId,
    fence: place.epoch,
    driver: place.driver,
    model: model.model,
    android,
    plan: wordOf(PlanSchema, request.plan) as PlanWord,
    exit,
    screen: model.screen,
    wanted: start ? 'running' : 'stopped',
    state: 'creating',
    generation: 0,
    minutes: noMinutes(nowMs),
    createdAt: new Date(nowMs),
    job: { ...job, ...(ids !== undefined && { id: ids.jobId }) },
  };
}

function madeUpName(): string {
  return `phone-${randomText(6)}`;
}

function named(device: DeviceDocument, name: string): DeviceDocument {
  return { ...device, name, nameKey: nameKey(device.accountId, name) };
}

function findAndroid(model: HostModel, wanted: string | undefined): string {
  const version = wanted ?? model.android[0];
  if (version !== undefined && model.android.includes(version)) return version;
  throw new ApiError(
    'bad_request',
    `android: "${version ?? ''}" is not one of ${model.android.join(', ')} for ${model.model}`,
  );
}
