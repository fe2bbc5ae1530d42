import { ApiError } from '../../../kit/errors/api-error.js';
import type { ConditionField, ConditionWord } from '../../../phone/conditions.js';
import type { PhoneCapabilities, PhoneModel } from '../../../phone/driver.js';
import { RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import type { ExitDriver } from '../../store/device-exit.js';
import type { HostDocument, HostDriver } from '../../store/hosts.js';
import type { DevicesContext } from '../devices-context.js';
import { isAlive } from './is-alive.js';

/** A host and driver that a new phone may go to. */
export interface Place {
  hostId: string;
  /** The fencing number with which the device begins. */
  epoch: number;
  driver: string;
  /** Whether the phone's way out to the internet can be chosen. */
  exit: boolean;
  model: HostModel;
  /** Room on its disk, MiB. */
  freeDiskMb: number;
  /** Whether files of phones come there from other hosts. */
  moves: boolean;
  /** Whether its phones can be made of templates. */
  templates: boolean;
  /** The ids of existing phones of the operator, one of which the device takes. Absent: the driver makes new phones. */
  slots?: readonly string[];
}

/**
 * A model with the abilities of its driver. `snapshots` and `exits`: whether snapshots can be taken, and the way to the internet chosen.
 * `conditions`: those that can be changed.
 */
export type ListedModel = PhoneModel & {
  driver: string;
  snapshots: boolean;
  exits: boolean;
  conditions: readonly ConditionWord[];
};

export type HostModel = HostDriver['models'][number];

/** What the choice of a place needs. */
export type PlacesContext = Pick<DevicesContext, 'hosts' | 'hostId' | 'clock'>;

/** Memory that is never given to phones, MiB: the services themselves and the system need it. */
const RESERVE_MEMORY_MB = 256;

/** Returns the models that devices can be created from, on all hosts that are alive, each model once. */
export async function listModels({ hosts, hostId, clock }: DevicesContext): Promise<ListedModel[]> {
  const models = new Map<string, ListedModel>();
  for (const host of await hosts.list()) {
    if (!isAlive(host, hostId, clock.now())) continue;
    for (const { kind: driver, models: found, snapshots, exit: exits, conditions = [] } of host.drivers) {
      for (const model of found) {
        if (!models.has(model.model)) {
          models.set(model.model, { ...model, driver, snapshots: canSave(snapshots), exits, conditions });
        }
      }
    }
  }
  return [...models.values()];
}

/**
 * Returns the places that a new phone of a model may go to, the best first. This host comes first while it has room; the others follow by
 * free memory. Room is the free memory and disk of a host, not a number of phones.
 *
 * Throws bad_request for a model that no host knows. Throws unavailable when no host that knows the model can make a phone of it now.
 */
export async function placesFor({ hosts, hostId, clock }: PlacesContext, wanted: string): Promise<Place[]> {
  const known = await hosts.list();
  const alive = known.filter((host) => isAlive(host, hostId, clock.now()));
  const having = alive.flatMap((host) =>
    host.drivers.flatMap((driver) => {
      const model = driver.models.find((candidate) => candidate.model === wanted);
      return model === undefined ? [] : [{ host, driver, model }];
    }),
  );
  if (having.length === 0 && known.some((host) => knowsModel(host, wanted))) throw hostsAway();
  if (having.length === 0) throw unknownModel(wanted, alive);
  const roomy = having
    .filter(({ host, driver, model }) => host.draining !== true && hasRoom(driver, model))
    .sort((a, b) => rank(b, hostId) - rank(a, hostId));
  if (roomy.length === 0) {
    throw noHost('Stop or delete one, or try again later.');
  }
  return roomy.map(({ host, driver, model }) => ({
    hostId: host._id,
    epoch: host.epoch,
    driver: driver.kind,
    exit: driver.exit,
    model,
    freeDiskMb: driver.freeDiskMb,
    moves: driver.moves === true,
    templates: driver.templates === true,
    ...(model.slots !== undefined && { slots: model.slots }),
  }));
}

/** Returns the drivers of all hosts that are alive, each once, and whether the way to the internet of their phones can be chosen. */
export async function exitDrivers({ hosts, hostId, clock }: DevicesContext): Promise<ExitDriver[]> {
  const alive = (await hosts.list()).filter((host) => isAlive(host, hostId, clock.now()));
  const byKind = new Map<string, ExitDriver>();
  for (const { kind: driver, exit } of alive.flatMap(({ drivers }) => drivers)) {
    byKind.set(driver, { driver, exit: exit || byKind.get(driver)?.exit === true });
  }
  return [...byKind.values()];
}

/**
 * Returns whether the way to the internet is fixed for a driver's phones on every host that is alive. False when none of these hosts has
 * the driver.
 */
export async function exitIsFixed(context: DevicesContext, driver: string): Promise<boolean> {
  return (await exitDrivers(context)).some((known) => known.driver === driver && !known.exit);
}

/**
 * Returns whether snapshots of the device's phone can be taken: only while it is stopped, or also live. The source is its host's last
 * renewal.
 */
export async function snapshotSupport(
  { hosts }: DevicesContext,
  device: { hostId: string; driver: string },
): Promise<PhoneCapabilities['snapshots']> {
  const host = await hosts.find(device.hostId);
  return host?.drivers.find(({ kind }) => kind === device.driver)?.snapshots ?? 'none';
}

/** Returns whether the device's host can make templates of it. The source is its host's last renewal. */
export async function canMakeTemplates(
  { hosts }: DevicesContext,
  device: { hostId: string; driver: string },
): Promise<boolean> {
  const host = await hosts.find(device.hostId);
  return host?.drivers.find(({ kind }) => kind === device.driver)?.templates === true;
}

/**
 * Returns the conditions that can be changed on the device's phone, and the fields of them that it lacks. The source is its host's last
 * renewal.
 */
export async function conditionSupport(
  { hosts }: DevicesContext,
  device: { hostId: string; driver: string },
): Promise<{ offered: readonly ConditionWord[]; lack: readonly ConditionField[] }> {
  const host = await hosts.find(device.hostId);
  const found = host?.drivers.find(({ kind }) => kind === device.driver);
  return { offered: found?.conditions ?? [], lack: found?.conditionsLack ?? [] };
}

function canSave(snapshots: HostDriver['snapshots']): boolean {
  return snapshots === 'stopped' || snapshots === 'live';
}

/** Returns a value for the database field `slotKey`. Its index is unique, so that only one device can take an operator's phone. */
export function slotKey(place: Pick<Place, 'hostId' | 'driver'>, slot: string): string {
  return `${place.hostId}/${place.driver}/${slot}`;
}

function noHost(next: string): ApiError {
  return new ApiError('unavailable', `No host has room for another phone of this model now. ${next}`, {
    retryAfterS: 60,
  });
}

function hostsAway(): ApiError {
  const message =
    'No host can make a phone of this model at present: the hosts that have it are away, or cannot run it. ' +
    'Try again later, or choose another model (GET /v1/models).';
  return new ApiError('unavailable', message, { retryAfterS: 60 });
}

function unknownModel(wanted: string, alive: readonly HostDocument[]): ApiError {
  const models = alive.flatMap(({ drivers }) => drivers.flatMap((driver) => driver.models));
  const names = [...new Set(models.map(({ model }) => model))];
  const message =
    names.length === 0
      ? `model: "${wanted}" is not known here, and no model is offered at present (GET /v1/models)`
      : `model: "${wanted}" is not one of ${names.join(', ')} (GET /v1/models)`;
  return new ApiError('bad_request', message);
}

/** Whether the host has the model, also where it cannot make a phone of it at present. */
function knowsModel({ drivers }: HostDocument, wanted: string): boolean {
  return drivers.some(
    ({ models, withheld = [] }) => withheld.includes(wanted) || models.some(({ model }) => model === wanted),
  );
}

function hasRoom({ create, freeMemoryMb, freeDiskMb }: HostDriver, model: HostModel): boolean {
  return !create || (freeMemoryMb >= model.phoneMemoryMb + RESERVE_MEMORY_MB && freeDiskMb >= RESERVE_DISK_MB);
}

/** Returns whether a host has room for one more phone whose files take `diskMb`. */
export function hasRoomFor(driver: HostDriver, model: HostModel, diskMb: number): boolean {
  return hasRoom({ ...driver, freeDiskMb: driver.freeDiskMb - diskMb }, model);
}

function rank({ host, driver }: { host: HostDocument; driver: HostDriver }, hostId: string): number {
  return host._id === hostId ? Infinity : driver.freeMemoryMb;
}
