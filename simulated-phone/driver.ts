import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import type { Clock } from '../kit/async/clock.js';
import type { Log } from '../kit/log/log.js';
import { randomText } from '../kit/text/ids.js';
import {
  type ListedStatus,
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
  type UseFiles,
} from '../phone/driver.js';
import type { ChangeFeed } from '../phone/change-feed.js';
import type { PhoneMoves } from '../phone/moves/phone-moves.js';
import { CONDITION_WORDS, type PhoneConditions } from '../phone/conditions.js';
import { conditionsMessage } from '../phone/conditions-message.js';
import { listResponse } from '../phone/list-response.js';
import type { PhoneFolder } from './host/phone-folder.js';
import { exitMessage, specMessage, statusOf } from './host/phone-message.js';
import { simulatedModels } from './system/models.js';
import type { SimulatorProcess } from './processes/simulator-process.js';
import type { SimulatorProcesses } from './processes/simulator-processes.js';

export interface SimulatedDriverOptions {
  folder: PhoneFolder;
  processes: SimulatorProcesses;
  /** Moves phones from and to other hosts. Absent: phones do not move, in tests. */
  moves?: PhoneMoves;
  /** The changes that the processes report. */
  changes: ChangeFeed;
  /** Measures the free memory, and the free disk space where phones are kept. */
  measureCapacity: () => Promise<{ freeMemoryMb: number; freeDiskMb: number }>;
  /** Whether phones go on running when the driver closes, to be found again by the next one. */
  phonesOutliveDriver: boolean;
  clock: Clock;
  log: Log;
}

/** Memory that one more simulated phone takes, MiB: measured at 66 KiB idle, and a few MiB in use. */
const PHONE_MEMORY_MB = 2;

/** How many phones' folders are read at the same time: each one is an open file. */
const FOLDERS_AT_ONCE = 16;

const UNKNOWN = { status: { state: 'unknown' } } as const;

/** Simulated phones, which live in processes of their own (host/main.ts). Phones that are off are read from their folder alone. */
export class SimulatedDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly moves?: PhoneMoves;
  readonly #options: SimulatedDriverOptions;
  readonly #folder: PhoneFolder;
  readonly #processes: SimulatorProcesses;

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
    if (options.moves !== undefined) this.moves = options.moves;
    this.#folder = options.folder;
    this.#processes = options.processes;
  }

  capabilities(): PhoneCapabilities {
    const able = { create: true, power: true, exit: true, snapshots: 'live' } as const;
    return { models: simulatedModels, ...able, conditions: CONDITION_WORDS };
  }

  async capacity(): Promise<PhoneCapacity> {
    return { ...(await this.#options.measureCapacity()), memoryMbOf: () => PHONE_MEMORY_MB };
  }

  async list(signal?: AbortSignal): Promise<Map<string, ListedStatus>> {
    const recorded = await this.#listRecorded(signal);
    const processes = new Set(this.#processes.attended());
    for (const status of recorded.values()) if ('process' in status) processes.add(this.#processes.at(status.process));
    const running = await this.#listRunning(processes, signal);
    const found = new Map<string, ListedStatus>();
    for (const [phoneId, status] of recorded) {
      // Where a process does not list its phone, the phone's run ended while the list was made, or the process does not respond.
      const now = running.get(phoneId) ?? ('process' in status ? UNKNOWN.status : status);
      if (now.state !== 'absent') found.set(phoneId, now);
    }
    return found;
  }

  /** Returns every phone that has a folder: with the process that runs the phone, or else with the status that the folder shows. */
  async #listRecorded(signal?: AbortSignal): Promise<Map<string, ListedStatus | { process: number }>> {
    const { clock, log } = this.#options;
    const recorded = new Map<string, ListedStatus | { process: number }>();
    await pLimit(FOLDERS_AT_ONCE).map(await this.#folder.list(), async (phoneId) => {
      const read = () => this.#folder.inspect(phoneId);
      const one = (await listResponse({ read, part: { phone: phoneId }, signal, clock, log })) ?? UNKNOWN;
      recorded.set(phoneId, 'status' in one ? one.status : one);
    });
    return recorded;
  }

  /** Returns the phones of the processes that respond. */
  async #listRunning(processes: Iterable<SimulatorProcess>, signal?: AbortSignal): Promise<Map<string, PhoneStatus>> {
    const { clock, log } = this.#options;
    const listOf = async (process: SimulatorProcess) => {
      const read = async (limited: AbortSignal) => {
        const { phones } = await process.call((simulator) => simulator.listPhones({}, { signal: limited }));
        return phones.map((phone) => [phone.phoneId, statusOf(phone)] as const);
      };
      const phones = await listResponse({ read, part: { process: process.index }, signal, clock, log });
      process.isResponding = phones !== undefined;
      return phones ?? [];
    };
    return new Map((await Promise.all([...processes].map(listOf))).flat());
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
    // A process that does not run has no phone.
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

  usedBytes(phoneId: string): Promise<number> {
    return this.#folder.usedBytes(phoneId);
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
      // The process may be of the release before, which knows restores of a phone's own snapshots alone.
      if (options?.forgetIdentity === true) this.#folder.forgetIdentity(phoneId);
    },
    clone: async (snapshotId, phone, options) => {
      const process = await this.#processes.of(phone.phoneId);
      const request = { snapshotId, phone: specMessage(phone) };
      await process.call((simulator) => simulator.clonePhone(request, withSignal(options?.signal)));
    },
    copy: async (snapshotId, copyId, options) => {
      const { sizeBytes, checksum } = await this.#processes
        .for(copyId)
        .call((simulator) => simulator.copySnapshot({ snapshotId, copyId }, withSignal(options?.signal)));
      return { sizeBytes, checksum };
    },
    list: () => this.#folder.listSnapshots(),
    has: (snapshotId) => this.#folder.hasSnapshot(snapshotId),
    delete: async (snapshotId) => {
      await this.#processes.for(snapshotId).call((simulator) => simulator.deleteSnapshot({ snapshotId }));
    },
  };

  async setExit(phoneId: string, exit: PhoneExit, options?: OperationOptions): Promise<void> {
    // Each start sets the exit, which nearly always is set already. Reading it from a file then saves a call to the process.
    const known = await this.#folder.read(phoneId).catch(() => undefined);
    if (known !== undefined && isDeepStrictEqual(known.exit, exit)) return;
    const process = await this.#processes.of(phoneId);
    const request = { phoneId, exit: exitMessage(exit) };
    await process.call((simulator) => simulator.setExit(request, withSignal(options?.signal)));
  }

  async setConditions(phoneId: string, conditions: PhoneConditions, options?: OperationOptions): Promise<void> {
    // Each start sets the conditions too, and they nearly always are set already.
    const known = await this.#folder.read(phoneId).catch(() => undefined);
    if (known !== undefined && isDeepStrictEqual(known.conditions ?? {}, conditions)) return;
    const process = await this.#processes.of(phoneId);
    const message = conditionsMessage(conditions);
    const request = { phoneId, ...(message !== undefined && { conditions: message }) };
    await process.call((simulator) => simulator.setConditions(request, withSignal(options?.signal)));
  }

  /** Saves the phone's state for as long as `use` runs. After a crash, the saved state is removed as a snapshot without a document. */
  async keepStill(phoneId: string, use: UseFiles, options?: OperationOptions): Promise<void> {
    const snapshotId = `hold_${randomText(20)}`;
    try {
      await this.snapshots.take(phoneId, snapshotId, options);
      await use(this.#folder.filesAsSaved(phoneId, snapshotId));
    } finally {
      await this.snapshots.delete(snapshotId);
    }
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
