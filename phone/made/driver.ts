import { createHash } from 'node:crypto';
import type { LimitFunction } from 'p-limit';
import type { Clock } from '../../kit/clock.js';
import type { FollowedFile } from '../../kit/followed-file.js';
import { KeyedLock } from '../../kit/keyed-lock.js';
import type { Log } from '../../kit/log.js';
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
  type StartOptions,
} from '../driver.js';
import type { ConnectSocket } from '../link/phone-link.js';
import { listResponse } from '../list-response.js';
import type { PhoneEngine } from './engine.js';
import { FolderStorage } from './folder-storage.js';
import type { MadeModel } from './made-model.js';
import { DamagedPhone, type MadePhone, PhoneFolders } from './phone-folders.js';
import { cannotRun, PhonePower } from './phone-power.js';
import type { PhoneStorage } from './phone-storage.js';

export interface MadeDriverOptions {
  engine: PhoneEngine;
  /** Absent: the data of phones is in their folders. */
  storage?: PhoneStorage;
  /** MODELS_FILE. Models of other engines are left out. */
  models: Pick<FollowedFile<readonly MadeModel[]>, 'value' | 'close'>;
  /** `phones/` and `snapshots/` in it are the driver's; one process at a time may have it. */
  directory: string;
  boots: LimitFunction;
  connectSocket: ConnectSocket;
  clock: Clock;
  log: Log;
}

/**
 * Phones that the service makes from images of Android, by an engine that runs them: containers, emulators or pods. They outlive this process: the
 * next one finds them by their folders and by what the engine has of them. Operations of one phone wait for each other.
 */
export class MadeDriver implements PhoneDriver {
  readonly kind: string;
  readonly snapshots: PhoneSnapshots;
  readonly #options: MadeDriverOptions;
  readonly #engine: PhoneEngine;
  readonly #folders: PhoneFolders;
  readonly #storage: PhoneStorage;
  readonly #power: PhonePower;
  readonly #lock = new KeyedLock();
  readonly #changes = new ChangeFeed();
  readonly #closing = new AbortController();
  /** By model: why this host cannot run it, as found by the last measure of the capacity. */
  #obstacles = new Map<string, string>();

  constructor(options: MadeDriverOptions) {
    const { engine, directory } = options;
    this.kind = engine.kind;
    this.#options = options;
    this.#engine = engine;
    this.#folders = new PhoneFolders(`${directory}/phones`);
    this.#storage = options.storage ?? new FolderStorage({ engine, directory, folders: this.#folders });
    this.#power = new PhonePower({ ...options, folders: this.#folders });
    this.snapshots = this.#phoneSnapshots();
  }

  /** Completes what a crash cut off, and adopts the phones that run. Those that fail alone are found broken when they are inspected. */
  async open(): Promise<void> {
    await this.#folders.clean();
    await this.#storage.clean();
    const known = new Set(await this.#folders.list());
    for (const phoneId of await this.#engine.list()) if (!known.has(phoneId)) await this.#engine.remove(phoneId);
    await Promise.all([...known].map((phoneId) => this.#adopt(phoneId)));
    const onChange = (phoneId: string | undefined, reason: string): void => {
      if (phoneId !== undefined) this.#changes.publish({ phoneId, reason });
      else void this.#publishAll(reason);
    };
    this.#engine.watch(onChange, this.#closing.signal);
    await this.#findObstacles();
  }

  capabilities(): PhoneCapabilities {
    const models = this.#models()
      .filter(({ model }) => !this.#obstacles.has(model))
      .map(({ model, name, android, screen, memoryMb }) => ({ model, name, android, screen, memoryMb }));
    const { offered = [], lack = [] } = this.#engine.conditions ?? {};
    const able = { create: true, power: true, exit: true, snapshots: 'stopped' } as const;
    return { models, ...able, conditions: offered, conditionsLack: lack };
  }

  async capacity(): Promise<PhoneCapacity> {
    await this.#findObstacles();
    const room = await this.#storage.room();
    const problems = [...this.#obstacles].map(([model, obstacle]) => `model "${model}" is not offered: ${obstacle}`);
    return { ...room, memoryMbOf: ({ memoryMb }) => memoryMb, problems };
  }

  async list(signal?: AbortSignal): Promise<Map<string, ListedStatus>> {
    const { clock, log } = this.#options;
    const listed = (await this.#folders.list()).map(async (phoneId) => {
      const read = (limited: AbortSignal): Promise<PhoneStatus> => this.inspect(phoneId, limited);
      const status = await listResponse({ read, part: { phone: phoneId }, signal, clock, log });
      return [phoneId, status ?? { state: 'unknown' }] as const;
    });
    return new Map(await Promise.all(listed));
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

  create(spec: PhoneSpec, options: OperationOptions = {}): Promise<void> {
    return this.#make(spec, undefined, options);
  }

  start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    return this.#lock.run(phoneId, async () => this.#power.start(await this.#existing(phoneId), options));
  }

  stop(phoneId: string, how: 'save' | 'kill', options?: OperationOptions): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      const phone = await this.#folders.read(phoneId);
      if (phone !== undefined) await this.#power.stop(phone, how, options);
    });
  }

  /** The engine's part goes first: without its folder, nothing would show whose it is. */
  delete(phoneId: string): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      await this.#engine.remove(phoneId);
      this.#power.forget(phoneId);
      await this.#folders.delete(phoneId);
    });
  }

  watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    return this.#changes.watch(signal);
  }

  usedBytes(phoneId: string): Promise<number> {
    return this.#storage.usedBytes(phoneId);
  }

  setExit(phoneId: string, exit: PhoneExit, { signal }: OperationOptions = {}): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      const phone = await this.#folders.change(await this.#existing(phoneId), { exit });
      await this.#power.renewExit(phone, signal);
    });
  }

  /**
   * The record comes first: after a crash in between, the phone differs from it until the next call, which sets all that one of both has.
   */
  setConditions(phoneId: string, conditions: PhoneConditions, { signal }: OperationOptions = {}): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      const before = await this.#existing(phoneId);
      const names = Object.keys({ ...before.conditions, ...conditions });
      if (names.length === 0) return;
      const phone = await this.#folders.change(before, { conditions });
      await this.#power.renewConditions(phone, before.conditions ?? {}, signal);
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the driver is closing'));
    this.#options.models.close();
    await this.#engine.close();
  }

  #models(): MadeModel[] {
    return this.#options.models.value.filter(({ driver }) => driver === this.#engine.kind);
  }

  #phoneSnapshots(): PhoneSnapshots {
    const storage = this.#storage;
    return {
      take: (phoneId, snapshotId, options = {}) =>
        this.#lock.run(phoneId, async () => storage.take(await this.#off(phoneId), snapshotId, options)),
      check: (snapshotId, options) => storage.check(snapshotId, options),
      restore: (phoneId, snapshotId, options = {}) =>
        this.#lock.run(phoneId, async () => {
          const phone = await this.#folders.describe(phoneId);
          if (phone === undefined) throw lostPhone();
          await storage.restore(phone, snapshotId, options);
        }),
      clone: (snapshotId, spec, options = {}) => this.#make({ ...spec, cloned: true }, snapshotId, options),
      list: () => storage.listSnapshots(),
      delete: (snapshotId) => storage.deleteSnapshot(snapshotId),
    };
  }

  /** Makes a phone that is not there, of a snapshot where one is named. */
  #make(spec: PhoneSpec & { cloned?: true }, snapshotId: string | undefined, options: OperationOptions): Promise<void> {
    return this.#lock.run(spec.phoneId, async () => {
      if ((await this.#folders.describe(spec.phoneId)) !== undefined) return;
      const fill = (phone: MadePhone): Promise<void> => this.#storage.make(phone, snapshotId, options);
      await this.#folders.create(await this.#newPhone(spec, options), fill);
      options.onProgress?.(100);
    });
  }

  /** A phone that is to be made: its image is fetched first. */
  async #newPhone(spec: PhoneSpec & { cloned?: true }, options: OperationOptions): Promise<Omit<MadePhone, 'data'>> {
    const made = this.#models().find(({ model }) => model === spec.model);
    if (made === undefined)
      throw new PhoneFailure(`The operator has withdrawn the model "${spec.model}". Choose another.`);
    const obstacle = await this.#engine.obstacle(made);
    if (obstacle !== undefined) throw cannotRun(obstacle);
    const digest = await this.#engine.fetchImage(made, options);
    return { ...spec, made, digest, serial: serialOf(spec.phoneId), on: false };
  }

  async #existing(phoneId: string): Promise<MadePhone> {
    const phone = await this.#folders.read(phoneId);
    if (phone !== undefined) return phone;
    throw lostPhone();
  }

  async #off(phoneId: string): Promise<MadePhone> {
    const phone = await this.#existing(phoneId);
    if ((await this.#engine.power(phone)).on)
      throw new PhoneFailure('The phone is on: a snapshot is taken while it is off.');
    return phone;
  }

  async #adopt(phoneId: string): Promise<void> {
    try {
      const phone = await this.#folders.read(phoneId);
      if (phone?.on === true) await this.#power.adopt(phone);
    } catch (error) {
      this.#options.log.warn(
        { phone: phoneId, err: error },
        'a phone could not be adopted; it is inspected like any other',
      );
    }
  }

  async #publishAll(reason: string): Promise<void> {
    try {
      for (const phoneId of await this.#folders.list()) this.#changes.publish({ phoneId, reason });
    } catch (error) {
      // The comparison of all phones, which comes regularly, finds what changed.
      this.#options.log.warn({ err: error }, 'the folders of phones cannot be listed');
    }
  }

  async #findObstacles(): Promise<void> {
    const found = new Map<string, string>();
    const models = this.#models();
    const obstacles = await Promise.all(models.map((model) => this.#engine.obstacle(model)));
    for (const [at, model] of models.entries()) {
      const obstacle = obstacles[at];
      if (obstacle !== undefined) found.set(model.model, obstacle);
      if (obstacle !== undefined && this.#obstacles.get(model.model) !== obstacle)
        this.#options.log.warn(
          { model: model.model, reason: obstacle },
          'a model of MODELS_FILE cannot run on this host',
        );
    }
    this.#obstacles = found;
  }
}

function lostPhone(): PhoneFailure {
  return new PhoneFailure("The phone's files are not on its host any more. Delete the device.");
}

/** As Android's serial numbers look; never the same for two phones. */
function serialOf(phoneId: string): string {
  return createHash('sha256').update(phoneId).digest('hex').slice(0, 16).toUpperCase();
}
