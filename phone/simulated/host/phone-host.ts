import type { Log } from '../../../kit/log.js';
import { ApiError } from '../../../kit/errors.js';
import { type PhoneEndpoint, type PhoneExit, PhoneFailure, type PhoneSpec, type PhoneStatus } from '../../driver.js';
import type { Faults } from '../system.js';
import type { PhoneFolder } from './phone-folder.js';

/** A simulated phone as its host handles it. */
export interface HostedPhone {
  /** Resolves when boot is complete and ADB answers; rejects with PhoneFailure. */
  boot(onProgress: (percent: number) => void): Promise<unknown>;
  shutdown(): Promise<void>;
  /** Power loss. */
  crash(): void;
  setExit(exit: PhoneExit): void;
  readonly faults: Faults;
  /** Port of its adbd; undefined while it is off. */
  readonly adbPort: number | undefined;
  /** `<ro.serialno>/<boot id>`; undefined while it is off. */
  readonly runIdentity: string | undefined;
}

export type BuildPhone = (phone: PhoneSpec, directory: string) => HostedPhone;

interface Slot {
  phone: HostedPhone;
  state: 'starting' | 'running';
  /** Boots of one phone asked for at the same time share one. */
  booted: Promise<void>;
  listeners: Set<(percent: number) => void>;
}

/** The simulated phones of one process: which run, and the operations on them, one at a time for each phone. */
export class PhoneHost {
  readonly #folder: PhoneFolder;
  readonly #build: BuildPhone;
  readonly #log: Log;
  readonly #slots = new Map<string, Slot>();
  /** Kept while a phone is off, so that faults set before a start hold for it. */
  readonly #faults = new Map<string, Partial<Faults>>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #lost = new Set<(phoneId: string, reason: string) => void>();

  constructor(options: { folder: PhoneFolder; build: BuildPhone; log: Log }) {
    this.#folder = options.folder;
    this.#build = options.build;
    this.#log = options.log;
  }

  /** Calls `listener` when a phone stops by itself. Answers the function that stops that. */
  onLost(listener: (phoneId: string, reason: string) => void): () => void {
    this.#lost.add(listener);
    return () => this.#lost.delete(listener);
  }

  create(phone: PhoneSpec): Promise<void> {
    return this.#inTurn(phone.phoneId, () => this.#folder.create(phone));
  }

  /** Boots the phone, or joins a boot that is under way, or answers at once when it runs. */
  async start(phoneId: string, onProgress: (percent: number) => void): Promise<PhoneEndpoint> {
    const slot = await this.#inTurn(
      phoneId,
      async () => this.#slots.get(phoneId) ?? this.#boot(await this.#spec(phoneId)),
    );
    slot.listeners.add(onProgress);
    try {
      await slot.booted;
    } finally {
      slot.listeners.delete(onProgress);
    }
    return endpointOf(slot.phone);
  }

  /** Powers the phone off; `kill` ends it as a power loss does. */
  stop(phoneId: string, how: 'save' | 'kill' = 'save'): Promise<void> {
    if (how === 'kill') this.#slots.get(phoneId)?.phone.crash();
    return this.#inTurn(phoneId, () => this.#shutdown(phoneId));
  }

  delete(phoneId: string): Promise<void> {
    return this.#inTurn(phoneId, async () => {
      await this.#shutdown(phoneId);
      this.#faults.delete(phoneId);
      await this.#folder.delete(phoneId);
    });
  }

  async inspect(phoneId: string): Promise<PhoneStatus> {
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return { state: (await this.#folder.read(phoneId)) === undefined ? 'absent' : 'stopped' };
    if (slot.state === 'starting') return { state: 'starting' };
    return { state: 'running', endpoint: endpointOf(slot.phone) };
  }

  /** Every phone that has a folder here. */
  async list(): Promise<Map<string, PhoneStatus>> {
    const found = new Map<string, PhoneStatus>();
    for (const phoneId of await this.#folder.list()) found.set(phoneId, await this.inspect(phoneId));
    return found;
  }

  snapshot(phoneId: string, snapshotId: string): Promise<number> {
    return this.#inTurn(phoneId, () => this.#folder.snapshot(phoneId, snapshotId));
  }

  restore(phoneId: string, snapshotId: string): Promise<void> {
    return this.#inTurn(phoneId, async () => {
      await this.#shutdown(phoneId);
      await this.#folder.restore(phoneId, snapshotId);
    });
  }

  clone(snapshotId: string, phone: PhoneSpec): Promise<void> {
    return this.#inTurn(phone.phoneId, () => this.#folder.clone(snapshotId, phone));
  }

  deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#folder.deleteSnapshot(snapshotId);
  }

  setExit(phoneId: string, exit: PhoneExit): Promise<void> {
    return this.#inTurn(phoneId, async () => {
      await this.#folder.change({ ...(await this.#spec(phoneId)), exit });
      this.#slots.get(phoneId)?.phone.setExit(exit);
    });
  }

  /** Sets all faults of a phone, now and for its next starts. `crash` cuts its power. */
  setFaults(phoneId: string, faults: Partial<Faults>, crash: boolean): void {
    this.#faults.set(phoneId, faults);
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return;
    applyFaults(slot.phone.faults, faults);
    if (!crash) return;
    slot.phone.crash();
    this.#slots.delete(phoneId);
    for (const listener of this.#lost) listener(phoneId, 'power loss');
  }

  /** Saves and powers off every phone. */
  async close(): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((phoneId) => this.stop(phoneId)));
  }

  async #spec(phoneId: string): Promise<PhoneSpec> {
    const spec = await this.#folder.read(phoneId);
    if (spec === undefined) throw new ApiError('not_found', `There is no phone ${phoneId} on this host.`);
    return spec;
  }

  #boot(spec: PhoneSpec): Slot {
    const phone = this.#build(spec, this.#folder.statePath(spec.phoneId));
    applyFaults(phone.faults, this.#faults.get(spec.phoneId) ?? {});
    const listeners = new Set<(percent: number) => void>();
    const booting = phone.boot((percent) => {
      for (const listener of listeners) listener(percent);
    });
    const slot: Slot = { phone, state: 'starting', listeners, booted: Promise.resolve() };
    slot.booted = booting.then(
      () => {
        slot.state = 'running';
      },
      async (error: unknown) => {
        if (this.#slots.get(spec.phoneId) === slot) this.#slots.delete(spec.phoneId);
        await phone.shutdown();
        throw error instanceof PhoneFailure ? new ApiError('unavailable', error.message, { cause: error }) : error;
      },
    );
    // Those who wait are told; a boot that nobody waits for any more must not end the process.
    slot.booted.catch((error: unknown) => this.#log.info({ phone: spec.phoneId, err: error }, 'boot failed'));
    this.#slots.set(spec.phoneId, slot);
    return slot;
  }

  async #shutdown(phoneId: string): Promise<void> {
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return;
    this.#slots.delete(phoneId);
    await slot.phone.shutdown();
    // A boot in its middle still makes folders: it must be over before they are removed or replaced.
    await slot.booted.catch(() => undefined);
  }

  #inTurn<T>(phoneId: string, run: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(phoneId) ?? Promise.resolve();
    const result = before.then(run, run);
    const tail = result.catch(() => undefined);
    this.#queues.set(phoneId, tail);
    void tail.then(() => {
      if (this.#queues.get(phoneId) === tail) this.#queues.delete(phoneId);
    });
    return result;
  }
}

/** Phones listen on loopback only: whoever reaches an adbd owns its phone. */
function endpointOf({ adbPort, runIdentity }: HostedPhone): PhoneEndpoint {
  if (adbPort === undefined || runIdentity === undefined) {
    throw new ApiError('unavailable', 'The phone was powered off meanwhile.');
  }
  return { host: '127.0.0.1', port: adbPort, identity: runIdentity };
}

function applyFaults(target: Faults, faults: Partial<Faults>): void {
  target.captureDelayMs = faults.captureDelayMs ?? 0;
  target.treeDelayMs = faults.treeDelayMs ?? 0;
  target.adbDown = faults.adbDown ?? false;
  target.hang = faults.hang ?? false;
  if (faults.bootFailure === undefined) delete target.bootFailure;
  else target.bootFailure = faults.bootFailure;
  if (faults.lie === undefined) delete target.lie;
  else target.lie = faults.lie;
}
