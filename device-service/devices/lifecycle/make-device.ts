import { stateEvent } from '../../record/state-event.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { createId, randomText } from '../../../kit/text/ids.js';
import { creatorOf } from '../../../kit/rpc/may-see.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { keepPayment, payForCreation } from '../../accounts/billing/creation-payment.js';
import { type Place, slotKey } from '../hosts/place-phone.js';
import type { ChosenIds } from '../idempotency/once.js';
import { noteUses } from '../library/choose-app.js';
import { newJob } from '../../record/new-job.js';
import type { Job } from '../../store/device-document.js';
import type { DevicePool } from '../../store/lease.js';
import { type DeviceDocument, nameKey } from '../../store/devices.js';
import { noMinutes } from '../../record/running-minutes.js';
import type { DevicesContext } from '../devices-context.js';

/** A device that is to be made. */
export interface DeviceDesign extends Pick<
  DeviceDocument,
  'plan' | 'exit' | 'android' | 'storageBytes' | 'idleStopS' | 'labels'
> {
  /** The device's name. Absent: a name is generated. */
  name: string | undefined;
  start: boolean;
  /** The job that makes the device. */
  job: Pick<Job, 'kind' | 'snapshot' | 'template' | 'apps'>;
  /** The pool that it is made for, and its place in the pool. Absent: it is for no pool. */
  of?: { pool: Omit<DevicePool, 'jobId'>; slotKey: string };
  /** The places where its phone may go, the best first. */
  places: readonly [Place, ...Place[]];
}

/** How often another name is generated because one is taken. More tries would mean another fault. */
const NAME_TRIES = 5;

/**
 * Makes a device as `design` describes it, within the account's quotas. The payment comes first. Then one insert makes the device
 * together with the job that makes its phone, and the job does the rest.
 *
 * With `ids` (chosen for an Idempotency-Key), it is safe to do again after a crash anywhere. The charge is known by the phone id, and a
 * device that was made is found.
 */
export async function makeDevice(
  context: DevicesContext,
  caller: Caller,
  design: (phoneId: string) => Promise<DeviceDesign>,
  ids: ChosenIds | undefined,
): Promise<DeviceDocument> {
  const before = ids === undefined ? null : await findMade(context, ids);
  if (before !== null) {
    // Perhaps the reply to the device's insert was lost, and its job was not begun.
    if (before.job !== undefined) context.dispatch.wake(before);
    return before;
  }
  const phoneId = ids?.phoneId ?? createId('ph', context.clock.now());
  const designed = await design(phoneId);
  const draft = draftDevice(context, caller, phoneId, designed, ids?.jobId);
  const need = { id: phoneId, devices: 1, bytes: draft.storageBytes ?? 0 };
  return context.quotas.within(caller.accountId, need, () => payAndInsert(context, draft, designed, ids));
}

async function payAndInsert(
  context: DevicesContext,
  draft: DeviceDocument,
  designed: DeviceDesign,
  ids: ChosenIds | undefined,
): Promise<DeviceDocument> {
  const payment = await payForCreation(context, draft, {
    start: designed.start,
    ...(ids !== undefined && { reservedMs: ids.keptMs }),
  });
  const made = await insertDevice(context, draft, designed.places, designed.name === undefined);
  if (typeof made !== 'string') {
    await noteUses(context, draft.accountId, designed.job.apps ?? []);
    return made;
  }
  await payment.giveBack();
  if (made === 'no slot') throw noneFree(draft.model, designed.places);
  throw new ApiError(
    'bad_request',
    `name: "${draft.name}" is taken by another device of this account. Choose another.`,
  );
}

/** Inserts the device with a name that is free. At a place with existing phones instead of new ones, it also finds a free phone. */
async function insertDevice(
  context: DevicesContext,
  draft: DeviceDocument,
  places: readonly Place[],
  mayRename: boolean,
): Promise<DeviceDocument | 'no name' | 'no slot'> {
  let names = NAME_TRIES;
  let device = draft;
  for (const place of places) {
    const at = { ...device, hostId: place.hostId, fence: place.epoch, driver: place.driver };
    for (const taken of await freeSlots(context, place)) {
      device = { ...at, ...taken };
      for (;;) {
        if (await context.devices.insert(device)) {
          context.dispatch.begin(device);
          return device;
        }
        // The insert was refused for its name, for its slot, or because an earlier try made this very device.
        const made = await context.devices.findById(device._id);
        if (made !== null) {
          // The job may have ended the payment's reservation before this try renewed it.
          await keepPayment(context, made);
          context.dispatch.wake(made);
          return made;
        }
        if ((await context.devices.findByName(device.accountId, device.name)) === null) break;
        if (!mayRename || --names === 0) return 'no name';
        device = named(device, madeUpName());
      }
    }
  }
  return 'no slot';
}

/**
 * Returns the slots that a device may try to get at a place, as fields of its document. At a place that makes new phones, it returns one
 * entry without fields.
 */
async function freeSlots(
  { devices }: DevicesContext,
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
    count === 0
      ? `No phone of model "${model}" can be had now: each is away or being cleaned. Try again in some seconds.`
      : `None of the ${count} phones of model "${model}" is free. Delete a device that has one, or choose another model.`,
  );
}

/**
 * Returns the device of an earlier try. Throws not_found when it has been deleted since: making it once more would make a second device.
 */
async function findMade({ devices, jobs }: DevicesContext, ids: ChosenIds): Promise<DeviceDocument | null> {
  const device = await devices.findById(ids.phoneId);
  if (device !== null && device.gone !== true) return device;
  if (device === null && (await jobs.find(ids.jobId)) === null) return null;
  throw new ApiError('not_found', 'The device that this request made has been deleted since.');
}

function draftDevice(
  { clock }: DevicesContext,
  caller: Caller,
  phoneId: string,
  { name = madeUpName(), start, places, plan, exit, android, job, storageBytes, idleStopS, labels, of }: DeviceDesign,
  jobId: string | undefined,
): DeviceDocument {
  const [{ hostId, epoch, driver, model }] = places;
  const nowMs = clock.now();
  const begun = newJob(clock, {
    ...job,
    ...{ requestedBy: caller.keyId, startAfter: start, ...(jobId !== undefined && { id: jobId }) },
  });
  return {
    _id: phoneId,
    accountId: caller.accountId,
    name,
    nameKey: nameKey(caller.accountId, name),
    createdBy: creatorOf(caller),
    hostId,
    fence: epoch,
    driver,
    model: model.model,
    android,
    plan,
    exit,
    screen: model.screen,
    wanted: start ? 'running' : 'stopped',
    state: 'creating',
    generation: 0,
    minutes: noMinutes(nowMs),
    ...((job.kind === 'clone' || job.template !== undefined) && { cloned: true as const }),
    ...(storageBytes !== undefined && { storageBytes }),
    ...(idleStopS !== undefined && { idleStopS }),
    ...(labels !== undefined && { labels }),
    createdAt: new Date(nowMs),
    deviceEvents: [stateEvent('creating', nowMs)],
    ...(of !== undefined && { pool: { ...of.pool, jobId: begun.id }, poolSlotKey: of.slotKey }),
    job: begun,
  };
}

function madeUpName(): string {
  return `phone-${randomText(6)}`;
}

function named(device: DeviceDocument, name: string): DeviceDocument {
  return { ...device, name, nameKey: nameKey(device.accountId, name) };
}
