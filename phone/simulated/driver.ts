import { isDeepStrictEqual } from 'node:util';
import {
  type OperationOptions,
  type PhoneCapabilities,
  type PhoneCapacity,
  type PhoneChange,
  type PhoneDriver,
  type PhoneEndpoint,
  type PhoneExit,
  type PhoneSnapshots,
  type PhoneSpec,
  type PhoneStatus,
  type StartOptions,
} from '../driver.js';
import type { ChangeFeed } from '../change-feed.js';
import type { PhoneFolder } from './host/phone-folder.js';
import { exitMessage, specMessage, statusOf } from './host/phone-message.js';
import { simulatedModels } from './models.js';
import type { SimulatorProcesses } from './processes/simulator-processes.js';

export interface SimulatedDriverOptions {
  folder: PhoneFolder;
  processes: SimulatorProcesses;
  /** The changes that the processes report. */
  changes: ChangeFeed;
  /** The room where phones are kept. */
  measureCapacity: () => Promise<{ freeMemoryMb: number; freeDiskMb: number }>;
  /** Whether phones go on running when the driver closes, to be found again by the next one. */
  phonesOutliveDriver: boolean;
}

/** Memory that one more simulated phone takes, MiB: measured at 66 KiB idle, and a few MiB in use. */
const PHONE_MEMORY_MB = 2;

/** How many phones' folders are read at once: each one is an open file. */
const INSPECTED_AT_ONCE = 16;

/** Simulated phones, which live in processes of their own (host/main.ts). Phones that are off are read from their folder alone. */
export class SimulatedDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly #options: SimulatedDriverOptions;
  readonly #folder: PhoneFolder;
  readonly #processes: SimulatorProcesses;

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
    this.#folder = options.folder;
    this.#processes = options.processes;
  }

  capabilities(): PhoneCapabilities {
    return { models: simulatedModels, create: true, power: true, exit: true, snapshots: 'live' };
  }

  async capacity(): Promise<PhoneCapacity> {
    return { ...(await this.#options.measureCapacity()), memoryMbOf: () => PHONE_MEMORY_MB };
  }

  async list(signal?: AbortSignal): Promise<Map<string, PhoneStatus>> {
    const phoneIds = await this.#folder.list();
    const running = new Map<string, PhoneStatus>();
    for (const process of this.#processes.attended()) {
      const { phones } = await process.call((simulator) => simulator.listPhones({}, withSignal(signal)));
      for (const phone of phones) running.set(phone.phoneId, statusOf(phone));
    }
    const found = new Map<string, PhoneStatus>();
    const left = phoneIds.values();
    const inspectNext = async (): Promise<void> => {
      for (const phoneId of left) {
        signal?.throwIfAborted();
        const status = running.get(phoneId) ?? (await this.inspect(phoneId, signal));
        // Deleted while the others were looked at.
        if (status.state !== 'absent') found.set(phoneId, status);
      }
    };
    await Promise.all(Array.from({ length: INSPECTED_AT_ONCE }, inspectNext));
    return found;
  }

  async inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus> {
    const found = await this.#folder.inspect(phoneId);
    if ('status' in found) return found.status;
    const process = this.#processes.at(found.process);
    const { status } = await process.call((simulator) => simulator.inspectPhone({ phoneId }, withSignal(signal)));
    return statusOf(status);
  }

  async create(phone: PhoneSpec, options?: OperationOptions): Promise<void> {
    const process = await this.#processes.of(phone.phoneId);
    await process.call((simulator) =>
      simulator.createPhone({ phone: specMessage(phone) }, withSignal(options?.signal)),
    );
  }

  async start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    const { endedIdentity, onProgress, signal } = options;
    const request = { phoneId, ...(endedIdentity !== undefined && { endedIdentity }) };
    const process = await this.#processes.of(phoneId);
    const started = await process.call(async (simulator) => {
      for await (const { progress, endpoint } of simulator.startPhone(request, withSignal(signal))) {
        onProgress?.(progress);
        if (endpoint !== undefined) return endpoint;
      }
      throw new Error('the simulator did not return where the phone listens');
    });
    process.noteRunning(phoneId);
    const { host, port, identity } = started;
    return { host, port, identity };
  }

  async stop(phoneId: string, how: 'save' | 'kill', options?: OperationOptions): Promise<void> {
    const process = await this.#processes.of(phoneId);
    process.noteStopped(phoneId);
    // A process that does not run, runs no phone.
    if (!process.isAttended) return;
    await process.call((simulator) =>
      simulator.stopPhone({ phoneId, kill: how === 'kill' }, withSignal(options?.signal)),
    );
  }

  async delete(phoneId: string, options?: OperationOptions): Promise<void> {
    const process = await this.#processes.of(phoneId);
    process.noteStopped(phoneId);
    await process.call((simulator) => simulator.deletePhone({ phoneId }, withSignal(options?.signal)));
  }

  readonly snapshots: PhoneSnapshots = {
    take: async (phoneId, snapshotId, options) => {
      const process = await this.#processes.of(phoneId);
      const request = { phoneId, snapshotId };
      const { sizeBytes, checksum } = await process.call((one) =>
        one.snapshotPhone(request, withSignal(options?.signal)),
      );
      return { sizeBytes, checksum };
    },
    check: async (snapshotId, options) => {
      await this.#processes
        .for(snapshotId)
        .call((simulator) => simulator.checkSnapshot({ snapshotId }, withSignal(options?.signal)));
    },
    restore: async (phoneId, snapshotId, options) => {
      const process = await this.#processes.of(phoneId);
      process.noteStopped(phoneId);
      const request = { phoneId, snapshotId };
      await process.call((simulator) => simulator.restorePhone(request, withSignal(options?.signal)));
    },
    clone: async (snapshotId, phone, options) => {
      const process = await this.#processes.of(phone.phoneId);
      const request = { snapshotId, phone: specMessage(phone) };
      await process.call((simulator) => simulator.clonePhone(request, withSignal(options?.signal)));
    },
    list: () => this.#folder.listSnapshots(),
    delete: async (snapshotId) => {
      await this.#processes.for(snapshotId).call((simulator) => simulator.deleteSnapshot({ snapshotId }));
    },
  };

  async setExit(phoneId: string, exit: PhoneExit, options?: OperationOptions): Promise<void> {
    // Each start sets the exit, and it is nearly always the present one: then a file is read in place of a call to the process.
    const known = await this.#folder.read(phoneId).catch(() => undefined);
    if (known !== undefined && isDeepStrictEqual(known.exit, exit)) return;
    const process = await this.#processes.of(phoneId);
    const request = { phoneId, exit: exitMessage(exit) };
    await process.call((simulator) => simulator.setExit(request, withSignal(options?.signal)));
  }

  watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    return this.#options.changes.watch(signal);
  }

  async close(): Promise<void> {
    await this.#processes.close({ quit: !this.#options.phonesOutliveDriver });
  }
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
