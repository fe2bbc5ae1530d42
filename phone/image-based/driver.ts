import { createHash } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import type { FollowedFile } from '../../kit/files/followed-file.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import { Cancellation } from '../../kit/async/within.js';
import type { Log } from '../../kit/log/log.js';
import { ChangeFeed } from '../change-feed.js';
import type { PhoneConditions } from '../conditions.js';
import {
  type ListedStatus,
  type OperationOptions,
  type PhoneCapabilities,
  type PhoneCapacity,
  type PhoneChange,
  type PhoneDriver,
  type PhoneEndpoint,
  type PhoneExit,
  PhoneFailure,
  type PhoneSnapshots,
  type PhoneSpec,
  type PhoneStatus,
  type RestoreOptions,
  type SharedDisk,
  type StartOptions,
  type UseFiles,
} from '../driver.js';
import type { DiskLimits } from '../disk-limits/disk-limits.js';
import { DATA_DISK } from '../files/measure-capacity.js';
import type { ConnectSocket } from '../link/phone-link.js';
import { listResponse } from '../list-response.js';
import { Adoption } from './adoption.js';
import { otherImage } from './data-snapshots.js';
import type { PhoneEngine } from './engine.js';
import { FolderStorage } from './folder-storage.js';
import { ImagesInUse } from './images-in-use.js';
import { LateOpening } from './late-opening.js';
import type { ImageBasedModel } from './model.js';
import { OfferedModels } from './offered-models.js';
import { sharedDisk } from './shared-disk.js';
import { Pauses } from './pauses.js';
import { DamagedPhone, type ImageBasedPhone, PhoneFolders } from './phone-folders.js';
import { cannotRun, PhonePower } from './phone-power.js';
import type { PhoneMoves } from '../moves/phone-moves.js';
import type { PhoneUpgrades } from '../upgrades/phone-upgrades.js';
import { imageMoves } from './image-moves.js';
import { ImageUpgrades } from './image-upgrades.js';
import { KeptPhones } from './kept-phones.js';
import type { PhoneStorage } from './phone-storage.js';

export interface ImageBasedDriverOptions {
  engine: PhoneEngine;
  /** Absent: the data of phones is in their folders. */
  storage?: PhoneStorage;
  /** Bounds the data of phones that share a disk. Absent: each phone has a disk or a disk image of its size. */
  limits?: DiskLimits;
  /** The models of MODELS_FILE. The driver leaves out those of other engines. */
  models: Pick<FollowedFile<readonly ImageBasedModel[]>, 'value' | 'close'>;
  /** The folder in which the driver has `phones/` and `snapshots/`. Only one process at a time may use it. */
  directory: string;
  boots: LimitFunction;
  connectSocket: ConnectSocket;
  clock: Clock;
  log: Log;
}

/**
 * Phones that the service makes from images of Android. An engine runs them as containers, emulators or pods. The phones outlive this
 * process. The next process finds them by their folders and by asking the engine. Operations of one phone wait for each other.
 */
export class ImageBasedDriver implements PhoneDriver {
  readonly kind: string;
  readonly snapshots: PhoneSnapshots;
  readonly moves?: PhoneMoves;
  readonly upgrades?: PhoneUpgrades;
  readonly sharedDisk?: SharedDisk;
  readonly #options: ImageBasedDriverOptions;
  readonly #engine: PhoneEngine;
  readonly #folders: PhoneFolders;
  readonly #storage: PhoneStorage;
  readonly #power: PhonePower;
  readonly #models: OfferedModels;
  readonly #images: ImagesInUse;
  readonly #kept: KeptPhones;
  readonly #lock = new KeyedLock();
  readonly #changes = new ChangeFeed();
  readonly #closing = new Cancellation();
  readonly #opening: LateOpening;
  readonly #pauses: Pauses;
  readonly #adoption: Adoption;

  constructor(options: ImageBasedDriverOptions) {
    const { engine, directory } = options;
    this.kind = engine.kind;
    this.#options = options;
    this.#engine = engine;
    this.#folders = new PhoneFolders(`${directory}/phones`, options.limits);
    if (options.limits !== undefined) this.sharedDisk = sharedDisk({ directory, folders: this.#folders });
    this.#storage = options.storage ?? new FolderStorage({ engine, directory, folders: this.#folders });
    const parts = { ...options, folders: this.#folders, signal: this.#closing.signal };
    const locked = (phoneId: string, work: () => Promise<void>): Promise<void> => this.#locked(phoneId, work);
    this.#pauses = new Pauses({ ...parts, locked });
    this.#power = new PhonePower({ ...parts, onPaused: (phoneId) => this.#pauses.found(phoneId) });
    this.#adoption = new Adoption({ ...parts, power: this.#power, locked });
    this.snapshots = this.#phoneSnapshots();
    this.#opening = new LateOpening({
      ...{ kind: this.kind, clock: options.clock, log: options.log, signal: this.#closing.signal },
      open: () => this.#takeOver(),
      onLate: () => void this.#publishAll('its engine is there'),
    });
    const obstacle = (): string | undefined => this.#opening.obstacle;
    this.#models = new OfferedModels({ engine, file: options.models, obstacle, log: options.log });
    const freeDiskMb = async (): Promise<number> => (await this.#storage.room()).freeDiskMb;
    this.#kept = new KeptPhones({ directory, folders: this.#folders, freeDiskMb });
    const copies = { folders: this.#folders, kept: this.#kept };
    this.#images = new ImagesInUse({ images: engine.images, ...copies, log: options.log });
    // Storage of its own is not in the folders of this host.
    if (options.storage !== undefined) return;
    this.moves = imageMoves({ engine, directory, folders: this.#folders });
    const { connectSocket, clock } = options;
    this.upgrades = new ImageUpgrades({
      ...{ ...copies, engine, models: this.#models, images: this.#images, power: this.#power, connectSocket, clock },
      locked: (phoneId, operation) => this.#locked(phoneId, operation),
    });
  }

  /**
   * Opens the driver. Where the engine is away or hangs, the driver goes on trying to open after this function has returned. Until it is
   * open, no model is offered, and phones are neither used nor reported as off. Throws where the folders of phones cannot be used.
   */
  async open(): Promise<void> {
    await this.#folders.clean();
    const onChange = (phoneId: string | undefined, reason: string): void => {
      if (phoneId !== undefined) this.#changes.publish({ phoneId, reason });
      else void this.#publishAll(reason);
    };
    this.#engine.watch(onChange, this.#closing.signal);
    await this.#opening.begin();
    await this.#models.findObstacles();
  }

  /**
   * Completes what a crash cut off, and adopts the phones that run. A phone that cannot be adopted is inspected like any other, and has no
   * way out until a later try succeeds.
   *
   * What runs of a phone without a folder is ended. A crash left it while the phone was made or deleted, or the folder is older than the
   * phone, as after a restore of a backup. Data outside the folders stays in either case, as it may be the only copy of a customer's data:
   * `list` names it.
   */
  async #takeOver(): Promise<void> {
    await this.#storage.clean();
    const known = new Set(await this.#folders.list());
    await this.#kept.clean(known);
    for (const phoneId of await this.#engine.list()) if (!known.has(phoneId)) await this.#engine.remove(phoneId);
    await Promise.all([...known].map((phoneId) => this.#adoption.adopt(phoneId)));
    await this.#images.compare();
  }

  capabilities(): PhoneCapabilities {
    const { offered = [], lack = [] } = this.#engine.conditions ?? {};
    const able = { create: true, power: true, exit: true, snapshots: 'stopped' } as const;
    return { ...this.#models.capabilities, ...able, conditions: offered, conditionsLack: lack };
  }

  async capacity(): Promise<PhoneCapacity> {
    await this.#models.findObstacles();
    const room = await this.#storage.room();
    const engineDisk = await this.#engine.disk?.();
    const disks = [{ name: DATA_DISK, freeDiskMb: room.freeDiskMb }, ...(engineDisk === undefined ? [] : [engineDisk])];
    const freeDiskMb = Math.min(...disks.map((disk) => disk.freeDiskMb));
    const problems = [...this.#models.problems, ...(this.#engine.images?.problems ?? [])];
    const { responds } = this.#engine;
    const engine = responds !== undefined && { engineResponds: responds };
    return { ...room, freeDiskMb, disks, memoryMbOf: ({ memoryMb }) => memoryMb, problems, ...engine };
  }

  /**
   * Lists also, as absent, each phone without a folder whose data is left elsewhere. The caller deletes those that belong to no device, after
   * a time of grace. One whose making was cut off gets its folder when it is made again.
   */
  async list(signal?: AbortSignal): Promise<Map<string, ListedStatus>> {
    const { clock, log } = this.#options;
    // The folders of all phones are listed all the same where the others cannot be.
    const read = (limited: AbortSignal): Promise<string[]> => this.#storage.listOutside(limited);
    const outside = begunAhead(listResponse({ read, part: { kind: this.kind }, signal, clock, log }));
    const list = async (phoneId: string) => {
      const read = (limited: AbortSignal): Promise<PhoneStatus> => this.inspect(phoneId, limited);
      const status = await listResponse({ read, part: { phone: phoneId }, signal, clock, log });
      return [phoneId, status ?? { state: 'unknown' as const }] as const;
    };
    const folders = await this.#folders.list();
    const [found, left = []] = await Promise.all([Promise.all(folders.map(list)), outside]);
    const known = new Set(folders);
    const others = left.filter((phoneId) => !known.has(phoneId));
    return new Map([...found, ...(await Promise.all(others.map(list)))]);
  }

  async inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus> {
    try {
      const phone = await this.#folders.read(phoneId);
      return phone === undefined ? { state: 'absent' } : await this.#power.status(phone, signal);
    } catch (error) {
      if (error instanceof DamagedPhone) return { state: 'broken', problem: error.message };
      throw error;
    }
  }

  prepare({ phoneId, model }: Pick<PhoneSpec, 'phoneId' | 'model'>, options: OperationOptions): Promise<void> {
    return this.#whenOpen(async () => {
      const phone = await this.#folders.describe(phoneId);
      if (phone !== undefined) {
        await this.#engine.images?.ready(phone, options);
        return;
      }
      const made = this.#models.find(model);
      // Creation throws the reason why a model cannot be made here.
      if (made === undefined || (await this.#engine.obstacle(made)) !== undefined) return;
      await this.#engine.fetchImage(made, options);
    });
  }

  create(spec: PhoneSpec, options: OperationOptions = {}): Promise<void> {
    return this.#make(spec, undefined, options);
  }

  start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    return this.#locked(phoneId, async () => this.#power.start(await this.#existing(phoneId), options));
  }

  stop(phoneId: string, how: 'save' | 'kill', options?: OperationOptions): Promise<void> {
    return this.#locked(phoneId, async () => {
      const phone = await this.#folders.read(phoneId);
      if (phone !== undefined) await this.#power.stop(phone, how, options);
    });
  }

  /**
   * The engine's part of a phone and the data outside its folder are removed before the folder. Without the folder, nothing would show to
   * which phone the engine's part belongs.
   */
  delete(phoneId: string): Promise<void> {
    return this.#locked(phoneId, async () => {
      await this.#engine.remove(phoneId);
      await this.#storage.removeOutside(phoneId);
      this.#power.forget(phoneId);
      await this.#folders.delete(phoneId);
      await this.#kept.drop(phoneId);
      await this.#images.compare();
    });
  }

  watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    return this.#changes.watch(signal);
  }

  usedBytes(phoneId: string): Promise<number> {
    return this.#storage.usedBytes(phoneId);
  }

  setExit(phoneId: string, exit: PhoneExit, { signal }: OperationOptions = {}): Promise<void> {
    return this.#locked(phoneId, async () => {
      const phone = await this.#folders.change(await this.#existing(phoneId), { exit });
      await this.#power.renewExit(phone, signal);
    });
  }

  /**
   * Writes the record first, then sets the phone. After a crash in between, the phone differs from its record until the next call. That
   * call sets each condition that the record or the caller names.
   */
  setConditions(phoneId: string, conditions: PhoneConditions, { signal }: OperationOptions = {}): Promise<void> {
    return this.#locked(phoneId, async () => {
      const before = await this.#existing(phoneId);
      const names = Object.keys({ ...before.conditions, ...conditions });
      if (names.length === 0) return;
      const phone = await this.#folders.change(before, { conditions });
      await this.#power.renewConditions(phone, before.conditions ?? {}, signal);
    });
  }

  /**
   * Pauses a phone that is on, while `use` runs. No other operation on the phone begins meanwhile. Where the pause cannot be ended, that is
   * tried again. After a crash, the next process ends the pause when it takes the phones over.
   */
  keepStill(phoneId: string, use: UseFiles, { signal }: OperationOptions = {}): Promise<void> {
    return this.#locked(phoneId, async () => {
      const phone = await this.#existing(phoneId);
      await this.#pauses.whilePaused(phone, () => use([{ place: '', path: this.#folders.path(phoneId) }]), signal);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the driver is closing'));
    this.#models.close();
    await this.#engine.close();
  }

  #phoneSnapshots(): PhoneSnapshots {
    const storage = this.#storage;
    return {
      take: (phoneId, snapshotId, options = {}) =>
        this.#locked(phoneId, async () => storage.take(await this.#off(phoneId), snapshotId, options)),
      check: (snapshotId, options) => this.#whenOpen(() => storage.check(snapshotId, options)),
      restore: (phoneId, snapshotId, options = {}) =>
        this.#locked(phoneId, () => this.#restore(phoneId, snapshotId, options)),
      clone: (snapshotId, spec, options = {}) => this.#make({ ...spec, cloned: true }, snapshotId, options),
      copy: (snapshotId, copyId, options = {}) =>
        this.#lock.run(copyId, () => this.#whenOpen(() => storage.copySnapshot(snapshotId, copyId, options))),
      ...(storage.imageOf && { imageOf: storage.imageOf.bind(storage) }),
      assertImage: (model, image, options) => this.#whenOpen(() => this.#assertImage(model, image, options)),
      list: () => storage.listSnapshots(),
      has: (snapshotId) => storage.hasSnapshot(snapshotId),
      delete: (snapshotId) => this.#whenOpen(() => storage.deleteSnapshot(snapshotId)),
    };
  }

  /**
   * The record says that the data is copied before it is. After a crash in between, or where the copy fails, the next start gives the phone
   * the ANDROID_ID that it has anyway, as that is computed from its id.
   */
  async #restore(phoneId: string, snapshotId: string, options: RestoreOptions): Promise<void> {
    const phone = await this.#folders.describe(phoneId);
    if (phone === undefined) throw lostPhone();
    const noted = options.forgetIdentity === true ? await this.#folders.change(phone, { cloned: true }) : phone;
    await this.#storage.restore(noted, snapshotId, options);
  }

  /** Makes a phone, from a snapshot where one is named. Does nothing where the phone exists. */
  #make(spec: PhoneSpec & { cloned?: true }, snapshotId: string | undefined, options: OperationOptions): Promise<void> {
    return this.#locked(spec.phoneId, async () => {
      if ((await this.#folders.describe(spec.phoneId)) !== undefined) return;
      const fill = (phone: ImageBasedPhone): Promise<void> => this.#storage.make(phone, snapshotId, options);
      const made = await this.#newPhone(spec, options);
      await this.#images.whileMaking(made, () => this.#folders.create(made, fill));
      options.onProgress?.(100);
    });
  }

  /** Fetches the image of a phone that is to be made, and returns the phone. */
  async #newPhone(
    spec: PhoneSpec & { cloned?: true },
    options: OperationOptions,
  ): Promise<Omit<ImageBasedPhone, 'data'>> {
    const made = await this.#makeable(spec.model);
    const image = await this.#engine.fetchImage(made, options);
    return { ...spec, ...image, made, serial: serialOf(spec.phoneId), on: false };
  }

  async #makeable(model: string): Promise<ImageBasedModel> {
    const made = this.#models.find(model);
    if (made === undefined) throw new PhoneFailure(`The operator has withdrawn the model "${model}". Choose another.`);
    const obstacle = await this.#engine.obstacle(made);
    if (obstacle !== undefined) throw cannotRun(obstacle);
    return made;
  }

  async #assertImage(model: string, image: string, options: OperationOptions): Promise<void> {
    const { digest } = await this.#engine.fetchImage(await this.#makeable(model), options);
    if (digest !== image) throw new PhoneFailure(otherImage());
  }

  /** Runs an operation; on each phone only one at a time. Throws `unavailable` until the phones are taken over. */
  #locked<T>(phoneId: string, operation: () => Promise<T>): Promise<T> {
    return this.#lock.run(phoneId, () => this.#whenOpen(operation));
  }

  async #whenOpen<T>(operation: () => Promise<T>): Promise<T> {
    this.#opening.require();
    return operation();
  }

  async #existing(phoneId: string): Promise<ImageBasedPhone> {
    const phone = await this.#folders.read(phoneId);
    if (phone !== undefined) return phone;
    throw lostPhone();
  }

  async #off(phoneId: string): Promise<ImageBasedPhone> {
    const phone = await this.#existing(phoneId);
    if ((await this.#engine.power(phone)).on)
      throw new PhoneFailure('The phone is on: a snapshot is taken while it is off.');
    return phone;
  }

  async #publishAll(reason: string): Promise<void> {
    try {
      for (const phoneId of await this.#folders.list()) this.#changes.publish({ phoneId, reason });
    } catch (error) {
      // The comparison of all phones, which comes regularly, finds what changed.
      this.#options.log.warn({ err: error }, 'the folders of phones cannot be listed');
    }
  }
}

function lostPhone(): PhoneFailure {
  return new PhoneFailure("The phone's files are not on its host any more. Delete the device.");
}

/** Returns a text that looks like Android's serial numbers, and is never the same for two phones. */
function serialOf(phoneId: string): string {
  return createHash('sha256').update(phoneId).digest('hex').slice(0, 16).toUpperCase();
}
