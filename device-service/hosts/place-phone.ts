import { ApiError } from '../../kit/errors.js';
import type { ConditionField, ConditionWord } from '../../phone/conditions.js';
import type { PhoneCapabilities, PhoneModel } from '../../phone/driver.js';
import { HOST_LEASE_MS } from '../limits.js';
import type { HostDocument, HostDriver, HostStore } from '../store/hosts.js';

/** Where a new phone goes. */
export interface Place {
  hostId: string;
  /** Fencing number that its device begins with. */
  epoch: number;
  driver: string;
  /** Whether its way out to the internet can be chosen. */
  exit: boolean;
  model: HostModel;
  /** The operator's phones that it may take, where they are not made. */
  slots?: readonly string[];
}

/** A model, the driver of its phones, whether snapshots of them can be taken and their way out be chosen, and which conditions be changed. */
export type ListedModel = PhoneModel & {
  driver: string;
  snapshots: boolean;
  exits: boolean;
  conditions: readonly ConditionWord[];
};

export type HostModel = HostDriver['models'][number];

/** Memory that is never given to phones, MiB: the services themselves, and air for the system. */
const RESERVE_MEMORY_MB = 256;
/** Disk that is never given to phones, MiB: the database must go on writing. */
const RESERVE_DISK_MB = 512;

export interface PlaceParts {
  hosts: HostStore;
  hostId: string;
  clock: { now(): number };
}

/** Returns everything that devices can be created from on hosts that are alive, each model once. */
export async function listModels({ hosts, hostId, clock }: PlaceParts): Promise<ListedModel[]> {
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
 * Returns the places that a new phone of a model may go to, the best first: this host while it has room, then the one with most free
 * memory. Room is measured where the phones live, not a count of phones. Throws bad_request for a model that no host has,
 * and unavailable when none that has it has room.
 */
export async function placesFor({ hosts, hostId, clock }: PlaceParts, wanted: string): Promise<Place[]> {
  const known = await hosts.list();
  const alive = known.filter((host) => isAlive(host, hostId, clock.now()));
  const having = alive.flatMap((host) =>
    host.drivers.flatMap((driver) => {
      const model = driver.models.find((candidate) => candidate.model === wanted);
      return model === undefined ? [] : [{ host, driver, model }];
    }),
  );
  if (having.length === 0 && known.some((host) => hasModel(host, wanted)))
    throw noHost('The hosts that have it are away.');
  if (having.length === 0) {
    const names = [
      ...new Set(alive.flatMap(({ drivers }) => drivers.flatMap(({ models }) => models.map((one) => one.model)))),
    ];
    throw new ApiError('bad_request', `model: "${wanted}" is not one of ${names.join(', ')} (GET /v1/models)`);
  }
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
    ...(model.slots !== undefined && { slots: model.slots }),
  }));
}

/** Whether the phones of a driver have a network of their own, according to the hosts that are alive. */
export async function exitIsFixed({ hosts, hostId, clock }: PlaceParts, driver: string): Promise<boolean> {
  const alive = (await hosts.list()).filter((host) => isAlive(host, hostId, clock.now()));
  const found = alive.flatMap(({ drivers }) => drivers).filter(({ kind }) => kind === driver);
  return found.length > 0 && found.every(({ exit }) => !exit);
}

/** In which state snapshots of the device's phone can be taken, according to its host's last renewal. */
export async function snapshotSupport(
  { hosts }: PlaceParts,
  device: { hostId: string; driver: string },
): Promise<PhoneCapabilities['snapshots']> {
  const host = await hosts.find(device.hostId);
  return host?.drivers.find(({ kind }) => kind === device.driver)?.snapshots ?? 'none';
}

/** Which conditions the device's phone can be made to see, according to its host's last renewal, and the fields of these that it lacks. */
export async function conditionSupport(
  { hosts }: PlaceParts,
  device: { hostId: string; driver: string },
): Promise<{ offered: readonly ConditionWord[]; lack: readonly ConditionField[] }> {
  const host = await hosts.find(device.hostId);
  const found = host?.drivers.find(({ kind }) => kind === device.driver);
  return { offered: found?.conditions ?? [], lack: found?.conditionsLack ?? [] };
}

function canSave(snapshots: HostDriver['snapshots']): boolean {
  return snapshots === 'stopped' || snapshots === 'live';
}

/** The value of the field `slotKey`: unique to the device that has the operator's phone. */
export function slotKey(place: Pick<Place, 'hostId' | 'driver'>, slot: string): string {
  return `${place.hostId}/${place.driver}/${slot}`;
}

function noHost(next: string): ApiError {
  return new ApiError('unavailable', `No host has room for another phone of this model now. ${next}`, {
    retryAfterS: 60,
  });
}

/** This host is alive although its lease lapsed while the database was away. */
function isAlive({ _id, leaseUntil }: HostDocument, hostId: string, nowMs: number): boolean {
  // A little longer than the lease: hosts' clocks differ.
  return _id === hostId || leaseUntil.getTime() + HOST_LEASE_MS / 3 > nowMs;
}

function hasModel({ drivers }: HostDocument, wanted: string): boolean {
  return drivers.some(({ models }) => models.some(({ model }) => model === wanted));
}

function hasRoom({ create, freeMemoryMb, freeDiskMb }: HostDriver, model: HostModel): boolean {
  return !create || (freeMemoryMb >= model.phoneMemoryMb + RESERVE_MEMORY_MB && freeDiskMb >= RESERVE_DISK_MB);
}

function rank({ host, driver }: { host: HostDocument; driver: HostDriver }, hostId: string): number {
  return host._id === hostId ? Infinity : driver.freeMemoryMb;
}
