import { WakeSignal } from '../kit/async/wake-signal.js';
import { CONDITION_WORDS, type ConditionWord, type PhoneConditions } from '../phone/conditions.js';
import {
  type ListedStatus,
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
} from '../phone/driver.js';
import type { Moved, PhoneMoves } from '../phone/moves/phone-moves.js';
import type { PhoneUpgrades } from '../phone/upgrades/phone-upgrades.js';
import { FakeUpgrades } from './fake-upgrades.js';

/** Phones that are only a word each, for tests of the layers above the driver. Each start waits for `gate` when one is set. */
export class FakeDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly phones = new Map<string, 'stopped' | 'running'>();
  readonly calls: string[] = [];
  /** Set to hold starts until it resolves. */
  gate: Promise<void> | undefined;
  /** Set to make phones impossible to make, with this text. */
  createFailure: string | undefined;
  /** Set to make starts fail with this text. */
  failure: string | undefined;
  /** Set to fetch images before phones are made and started. */
  prepare?: NonNullable<PhoneDriver['prepare']>;
  readonly #watchers = new Set<(change: PhoneChange) => void>();
  #starts = 0;
  /** The number of the present start of each running phone. */
  readonly #started = new Map<string, number>();

  capabilities(): PhoneCapabilities {
    const screen = { width: 720, height: 1280, density: 320 };
    const models = [{ model: 'phone-720p', name: 'Phone 720p', android: ['14', '13'], screen, memoryMb: 2048 }];
    return { models, create: true, power: true, exit: true, snapshots: this.saves, conditions: this.conditionsOffered };
  }

  async capacity(): Promise<PhoneCapacity> {
    return { freeMemoryMb: 100_000, freeDiskMb: 100_000, memoryMbOf: () => 1 };
  }

  async create({ phoneId }: PhoneSpec): Promise<void> {
    this.calls.push('create');
    if (this.createFailure !== undefined) throw new PhoneFailure(this.createFailure);
    if (!this.phones.has(phoneId)) this.phones.set(phoneId, 'stopped');
  }

  async start(phoneId: string, { signal, onProgress }: StartOptions = {}): Promise<PhoneEndpoint> {
    this.calls.push('start');
    onProgress?.(50);
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
    if (this.gate !== undefined) await Promise.race([this.gate, aborted]);
    const failure = this.failure ?? this.images.bootFailureOf(phoneId);
    if (failure !== undefined) throw new PhoneFailure(failure);
    if (this.phones.get(phoneId) !== 'running') this.#started.set(phoneId, ++this.#starts);
    this.phones.set(phoneId, 'running');
    return this.#endpoint(phoneId);
  }

  async stop(phoneId: string): Promise<void> {
    this.calls.push('stop');
    this.phones.set(phoneId, 'stopped');
  }

  async delete(phoneId: string): Promise<void> {
    this.calls.push('delete');
    this.phones.delete(phoneId);
  }

  async list(): Promise<Map<string, ListedStatus>> {
    const found = new Map<string, ListedStatus>();
    for (const phoneId of this.phones.keys()) found.set(phoneId, await this.inspect(phoneId));
    return found;
  }

  async inspect(phoneId: string): Promise<PhoneStatus> {
    const state = this.phones.get(phoneId) ?? 'absent';
    return state === 'running' ? { state, endpoint: this.#endpoint(phoneId) } : { state };
  }

  /** In which state it reports that snapshots can be taken. */
  saves: PhoneCapabilities['snapshots'] = 'live';
  /** The snapshots that exist, each with the phone it was taken of. */
  readonly kept = new Map<string, string>();
  /** Set to make the next operations on snapshots throw this. */
  snapshotFailure: Error | undefined;

  readonly snapshots: PhoneSnapshots = {
    take: async (phoneId, snapshotId) => {
      this.#snapshotCall('take');
      this.kept.set(snapshotId, phoneId);
      return { sizeBytes: 1_000, checksum: 'ab'.repeat(32) };
    },
    check: async (snapshotId) => {
      this.#snapshotCall('check');
      if (!this.kept.has(snapshotId)) throw new PhoneFailure('The files of the snapshot are lost.');
    },
    restore: async (phoneId) => {
      this.#snapshotCall('restore');
      if (this.phones.get(phoneId) !== 'stopped') throw new Error('the phone was not stopped first');
    },
    clone: async (_snapshotId, { phoneId }) => {
      this.#snapshotCall('clone');
      if (!this.phones.has(phoneId)) this.phones.set(phoneId, 'stopped');
    },
    copy: async (snapshotId, copyId) => {
      this.#snapshotCall('copy');
      const phoneId = this.kept.get(snapshotId);
      if (phoneId === undefined) throw new PhoneFailure('The files of the snapshot are lost.');
      this.kept.set(copyId, phoneId);
      return { sizeBytes: 1_000, checksum: 'ab'.repeat(32) };
    },
    list: async () => [...this.kept.keys()],
    assertImage: async () => {
      if (this.lackedImage !== undefined) throw new PhoneFailure(this.lackedImage);
    },
    has: async (snapshotId) => this.kept.has(snapshotId),
    delete: async (snapshotId) => {
      this.#snapshotCall('deleteSnapshot');
      this.kept.delete(snapshotId);
    },
  };

  /** Set to make hosts refuse the image of a template with this text. */
  lackedImage: string | undefined;

  /** Phones on their way here, by arrival. */
  readonly arriving = new Map<string, Moved>();
  /** Set to run before a phone is unpacked here; what it throws ends that. */
  onUnpack: (signal?: AbortSignal) => Promise<void> = async () => undefined;
  /** Set to make `prepare` refuse phones with this text. */
  lack: string | undefined;

  readonly moves: PhoneMoves = {
    needs: async () => 'an image',
    prepare: async () => {
      if (this.lack !== undefined) throw new PhoneFailure(this.lack);
    },
    describe: async (moved) => {
      const { phoneId } = moved;
      if (phoneId !== undefined && this.phones.get(phoneId) !== 'stopped')
        throw new Error('the phone is not there, or not off');
      return { sizeBytes: 1_000, checksum: JSON.stringify(moved) };
    },
    pack: async function* (moved) {
      yield Buffer.from(JSON.stringify(moved));
    },
    unpack: async (arrival, content, { signal } = {}) => {
      this.calls.push('unpack');
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      await this.onUnpack(signal);
      const text = Buffer.concat(pieces).toString();
      this.arriving.set(arrival, JSON.parse(text) as Moved);
      return text;
    },
    arrive: async (arrival) => {
      this.calls.push('arrive');
      const moved = this.arriving.get(arrival);
      if (moved === undefined) return;
      for (const id of moved.snapshotIds) this.kept.set(id, moved.phoneId ?? '');
      if (moved.phoneId !== undefined) this.phones.set(moved.phoneId, 'stopped');
      this.arriving.delete(arrival);
    },
    listArrivals: async () => [...this.arriving.keys()],
    discard: async (arrival) => void this.arriving.delete(arrival),
  };

  /** The images of its phones, and copies of phones. */
  readonly images = new FakeUpgrades(this.phones, this.calls);
  readonly upgrades: PhoneUpgrades = this.images;

  #snapshotCall(name: string): void {
    this.calls.push(name);
    if (this.snapshotFailure !== undefined) throw this.snapshotFailure;
  }

  /** The exits that phones were given, the latest of each; not among the calls, as every start gives one. */
  readonly exits = new Map<string, PhoneExit>();

  async setExit(phoneId: string, exit: PhoneExit): Promise<void> {
    this.exits.set(phoneId, exit);
  }

  /** The conditions that its phones can be made to see. */
  conditionsOffered: readonly ConditionWord[] = CONDITION_WORDS;
  /** The conditions that phones were given, the latest of each; not among the calls, as every start gives some. */
  readonly conditions = new Map<string, PhoneConditions>();
  /** Set to run before a phone gets conditions; what it throws is the phone's refusal. */
  onConditions: (wanted: PhoneConditions) => void | Promise<void> = () => undefined;

  async setConditions(phoneId: string, conditions: PhoneConditions): Promise<void> {
    await this.onConditions(conditions);
    this.conditions.set(phoneId, conditions);
  }

  async *watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    const changes: PhoneChange[] = [];
    const news = new WakeSignal();
    const listener = (change: PhoneChange): void => {
      changes.push(change);
      news.wake();
    };
    this.#watchers.add(listener);
    while (!signal.aborted) {
      if (changes.length === 0) await news.wait({ signal });
      yield* changes.splice(0);
    }
    this.#watchers.delete(listener);
  }

  /** The phone stops by itself. */
  lose(phoneId: string, reason: string): void {
    this.phones.set(phoneId, 'stopped');
    for (const listener of this.#watchers) listener({ phoneId, reason });
  }

  #endpoint(phoneId: string): PhoneEndpoint {
    const start = this.#started.get(phoneId) ?? 0;
    return { host: '127.0.0.1', port: 40_000 + start, identity: `${phoneId}/${start}` };
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}
