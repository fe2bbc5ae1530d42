import { BootOvertaken } from '../phone/phone.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { KeyedLock } from '../../kit/async/keyed-lock.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneConditions } from '../../phone/conditions.js';
import { thisProcess } from '../../kit/process/process-owner.js';
import {
  type PhoneChange,
  type PhoneEndpoint,
  type PhoneExit,
  PhoneFailure,
  type PhoneSpec,
  type PhoneStatus,
} from '../../phone/driver.js';
import type { Faults } from '../system/system.js';
import type { PhoneFolder, RunningPhone, SavedState } from './phone-folder.js';
import { processOf } from './run-record.js';

/** A simulated phone as its host handles it. */
export interface HostedPhone extends RunningPhone {
  /** Resolves when boot is complete and ADB responds; rejects with PhoneFailure. */
  boot(onProgress: (percent: number) => void): Promise<unknown>;
  shutdown(): Promise<void>;
  /** Ends the phone as a power loss does. */
  crash(): void;
  setExit(exit: PhoneExit): void;
  setConditions(conditions: PhoneConditions): void;
  /** Is called when the phone reboots by itself, with a promise of its next boot. */
  onReboot: (rebooted: Promise<void>, reason: string) => void;
  /** Powers off and boots again. */
  reboot(reason: string): Promise<void>;
  readonly faults: { set(faults: Partial<Faults>): void };
  /** The bytes that the phone holds for its clients. */
  readonly heldBytes: number;
  /** Port of the phone's adbd; undefined while the phone is off. */
  readonly adbPort: number | undefined;
  /** The identity of the phone's present start; undefined while the phone is off. */
  readonly runIdentity: string | undefined;
}

type BuildPhone = (phone: PhoneSpec, directory: string) => HostedPhone;

interface Slot {
  phone: HostedPhone;
  state: 'starting' | 'running';
  /** The boot that is under way, or the last one. Simultaneous requests to boot one phone share one boot. */
  booted: Promise<void>;
  listeners: Set<(percent: number) => void>;
}

export interface PhoneHostOptions {
  folder: PhoneFolder;
  build: BuildPhone;
  log: Log;
  /** Index of this process among the processes that run simulated phones. */
  process: number;
  /** Address on which the phones listen. Endpoints contain it, so that clients can connect. */
  address: string;
}

/** Holds the simulated phones that run in one process, and does the operations on them, one at a time for each phone. */
export class PhoneHost {
  readonly #options: PhoneHostOptions;
  readonly #folder: PhoneFolder;
  readonly #log: Log;
  readonly #slots = new Map<string, Slot>();
  /** The faults of phones. Faults can be set while a phone is off; they then apply to its next start. */
  readonly #faults = new Map<string, Partial<Faults>>();
  readonly #lock = new KeyedLock();
  readonly #listeners = new Set<(change: PhoneChange) => void>();

  constructor(options: PhoneHostOptions) {
    this.#options = options;
    this.#folder = options.folder;
    this.#log = options.log;
  }

  /** Calls `listener` when the state of a phone changes without an operation. Returns the function that unsubscribes. */
  onChange(listener: (change: PhoneChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  runningPhoneIds(): string[] {
    return [...this.#slots].filter(([, { state }]) => state === 'running').map(([phoneId]) => phoneId);
  }

  create(phone: PhoneSpec): Promise<void> {
    return this.#lock.run(phone.phoneId, () => this.#folder.create(phone));
  }

  /**
   * Boots the phone, or joins a boot that is under way, or returns at once when it runs. A phone that still runs as `endedIdentity` is shut
   * down first.
   */
  async start(phoneId: string, onProgress: (percent: number) => void, endedIdentity?: string): Promise<PhoneEndpoint> {
    const slot = await this.#lock.run(phoneId, async () => {
      const present = this.#slots.get(phoneId);
      if (present && (endedIdentity === undefined || present.phone.runIdentity !== endedIdentity)) return present;
      await this.#shutdown(phoneId);
      return this.#boot(await this.#unclaimedSpec(phoneId));
    });
    slot.listeners.add(onProgress);
    try {
      await slot.booted;
    } finally {
      slot.listeners.delete(onProgress);
    }
    return this.#endpointOf(slot.phone);
  }

  /** Powers the phone off; `kill` ends it as a power loss does. */
  stop(phoneId: string, how: 'save' | 'kill' = 'save'): Promise<void> {
    if (how === 'kill') this.#slots.get(phoneId)?.phone.crash();
    return this.#lock.run(phoneId, async () => {
      await this.#shutdown(phoneId);
      await this.#folder.runFile(phoneId).remove();
    });
  }

  delete(phoneId: string): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      await this.#shutdown(phoneId);
      this.#faults.delete(phoneId);
      await this.#folder.delete(phoneId);
    });
  }

  async inspect(phoneId: string): Promise<PhoneStatus> {
    const status = this.#statusOf(phoneId);
    if (status !== undefined) return status;
    const found = await this.#folder.inspect(phoneId);
    // The phone may have been started or stopped here while the folder was read.
    return this.#statusOf(phoneId) ?? ('status' in found ? found.status : { state: 'stopped' });
  }

  /** Returns the phones that this process runs. */
  list(): Map<string, PhoneStatus> {
    const found = new Map<string, PhoneStatus>();
    for (const phoneId of this.#slots.keys()) {
      const status = this.#statusOf(phoneId);
      if (status !== undefined) found.set(phoneId, status);
    }
    return found;
  }

  /** Saves a phone, running or not. A phone that is booting is saved once its boot is over. */
  snapshot(phoneId: string, snapshotId: string): Promise<SavedState> {
    return this.#lock.run(phoneId, async () => {
      await this.#slots.get(phoneId)?.booted.catch(() => undefined); // a phone whose boot fails is saved like a phone that is off
      return this.#folder.snapshot(phoneId, snapshotId, this.#slots.get(phoneId)?.phone);
    });
  }

  checkSnapshot(snapshotId: string): Promise<void> {
    return this.#folder.checkSnapshot(snapshotId);
  }

  restore(phoneId: string, snapshotId: string): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      await this.#shutdown(phoneId);
      await this.#folder.restore(phoneId, snapshotId);
    });
  }

  clone(snapshotId: string, phone: PhoneSpec): Promise<void> {
    return this.#lock.run(phone.phoneId, () => this.#folder.clone(snapshotId, phone));
  }

  copySnapshot(snapshotId: string, copyId: string): Promise<SavedState> {
    return this.#lock.run(copyId, () => this.#folder.copySnapshot(snapshotId, copyId));
  }

  deleteSnapshot(snapshotId: string): Promise<void> {
    return this.#folder.deleteSnapshot(snapshotId);
  }

  setExit(phoneId: string, exit: PhoneExit): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      await this.#folder.change({ ...(await this.#folder.read(phoneId)), exit });
      this.#slots.get(phoneId)?.phone.setExit(exit);
    });
  }

  setConditions(phoneId: string, conditions: PhoneConditions): Promise<void> {
    return this.#lock.run(phoneId, async () => {
      await this.#folder.change({ ...(await this.#folder.read(phoneId)), conditions });
      this.#slots.get(phoneId)?.phone.setConditions(conditions);
    });
  }

  /** Sets all faults of a phone, now and for its next starts. `crash` cuts its power. */
  async setFaults(phoneId: string, faults: Partial<Faults>, crash: boolean): Promise<void> {
    this.#faults.set(phoneId, faults);
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return;
    slot.phone.faults.set(faults);
    if (!crash) return;
    slot.phone.crash();
    await this.#lose(phoneId, slot, 'power loss');
  }

  /**
   * Reboots the phone that holds the most for its clients. This method is called when the process has no memory left, so that the other
   * phones keep running.
   */
  rebootGreediest(): void {
    const running = [...this.#slots.values()].filter(({ state }) => state === 'running');
    const [greediest] = running.sort((a, b) => b.phone.heldBytes - a.phone.heldBytes);
    void greediest?.phone.reboot('out of memory');
  }

  /** Saves and powers off every phone. */
  async close(): Promise<void> {
    await Promise.all([...this.#slots.keys()].map((phoneId) => this.stop(phoneId)));
  }

  #statusOf(phoneId: string): PhoneStatus | undefined {
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return undefined;
    return slot.state === 'starting'
      ? { state: 'starting' }
      : { state: 'running', endpoint: this.#endpointOf(slot.phone) };
  }

  /** Returns the phone's description. Throws when another process runs the phone, as two must never write to one phone's files. */
  async #unclaimedSpec(phoneId: string): Promise<PhoneSpec> {
    const spec = await this.#folder.read(phoneId);
    const process = processOf(await this.#folder.runFile(phoneId).read());
    if (process === undefined || process === this.#options.process) return spec;
    throw new Error(`phone ${phoneId} runs in process ${process}, not here`);
  }

  async #boot(spec: PhoneSpec): Promise<Slot> {
    const { phoneId } = spec;
    // The record is written before the phone is built. If this process is killed later, the record shows that it had the phone.
    await this.#folder.runFile(phoneId).write({ process: this.#options.process, owner: thisProcess() });
    const phone = this.#options.build(spec, this.#folder.statePath(phoneId));
    phone.faults.set(this.#faults.get(phoneId) ?? {});
    const listeners = new Set<(percent: number) => void>();
    const slot: Slot = { phone, state: 'starting', listeners, booted: Promise.resolve() };
    this.#slots.set(phoneId, slot);
    phone.onReboot = (rebooted, reason) => {
      if (this.#slots.get(phoneId) !== slot) return;
      this.#follow(phoneId, slot, rebooted);
      this.#notify(phoneId, `it reboots: ${reason}`);
      slot.booted.then(
        () => this.#notify(phoneId, 'it has rebooted'),
        () => undefined, // reported when the slot was removed
      );
    };
    this.#follow(
      phoneId,
      slot,
      phone.boot((percent) => {
        for (const listener of listeners) listener(percent);
      }),
    );
    return slot;
  }

  /** Makes `booting` the boot of the slot. A phone that does not come up leaves its slot. */
  #follow(phoneId: string, slot: Slot, booting: Promise<unknown>): void {
    slot.state = 'starting';
    slot.booted = booting.then(
      () => {
        slot.state = 'running';
      },
      async (error: unknown) => {
        await slot.phone.shutdown();
        const message = error instanceof PhoneFailure ? error.message : 'the phone did not boot';
        await this.#lose(phoneId, slot, message);
        // This boot did not fail by itself, so the failure is not final: the driver's caller tries again.
        if (error instanceof BootOvertaken)
          throw new ApiError('unavailable', message, { cause: error, retryAfterS: 0 });
        throw error instanceof PhoneFailure ? new ApiError('unavailable', message, { cause: error }) : error;
      },
    );
    // Waiting callers get the error; an unobserved failure must not end the process.
    slot.booted.catch((error: unknown) => this.#log.info({ phone: phoneId, err: error }, 'boot failed'));
  }

  /** Removes a slot whose phone is off although no operation stopped it. */
  async #lose(phoneId: string, slot: Slot, reason: string): Promise<void> {
    if (this.#slots.get(phoneId) !== slot) return;
    this.#slots.delete(phoneId);
    this.#notify(phoneId, reason);
    await this.#folder.runFile(phoneId).write({ ended: reason });
  }

  #notify(phoneId: string, reason: string): void {
    for (const listener of this.#listeners) listener({ phoneId, reason });
  }

  async #shutdown(phoneId: string): Promise<void> {
    const slot = this.#slots.get(phoneId);
    if (slot === undefined) return;
    this.#slots.delete(phoneId);
    await slot.phone.shutdown();
    // A boot that is under way still makes folders, so it must be over before they are removed or replaced.
    await slot.booted.catch(() => undefined);
  }

  #endpointOf({ adbPort, runIdentity }: HostedPhone): PhoneEndpoint {
    if (adbPort === undefined || runIdentity === undefined) {
      throw new ApiError('unavailable', 'The phone was powered off meanwhile.', { retryAfterS: 0 });
    }
    return { host: this.#options.address, port: adbPort, identity: runIdentity };
  }
}
