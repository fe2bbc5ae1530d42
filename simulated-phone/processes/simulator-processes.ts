import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { PhoneChange } from '../../phone/driver.js';
import type { PhoneFolder } from '../host/phone-folder.js';
import { processOf, wasRunning } from '../host/run-record.js';
import type { SimulatorLink } from './simulator-link.js';
import { SimulatorProcess } from './simulator-process.js';

export interface SimulatorProcessesOptions {
  /** The number of processes over which phones are spread. */
  count: number;
  folder: PhoneFolder;
  linkTo: (index: number) => SimulatorLink;
  /** Returns the indices of the processes that may run already. They may be over `count`, as a process outlives a change of it. */
  found: () => Promise<number[]>;
  clock: Clock;
  log: Log;
  onChange: (change: PhoneChange) => void;
}

/**
 * The processes in which phones live. The id of a phone decides the process in which it is started. The phone stays there until it is off,
 * also when the number of processes changes meanwhile, as its folder names the process (host/run-record.ts).
 */
export class SimulatorProcesses {
  readonly #options: SimulatorProcessesOptions;
  readonly #processes = new Map<number, SimulatorProcess>();

  constructor(options: SimulatorProcessesOptions) {
    this.#options = options;
  }

  /**
   * Attends the processes that run. It also begins to start the processes that are to run phones whose process has ended, and no others.
   * These phones are about to be started again, and a process takes as long to start as the rest of the service.
   */
  async open(): Promise<void> {
    const { found, log } = this.#options;
    const [indices, lost] = await Promise.all([found(), this.#lostPhones()]);
    const notFound = (error: unknown): void =>
      log.warn({ err: error }, 'a simulator process ended while it was being found; its first call starts it');
    await Promise.all(indices.map((index) => this.at(index).find().catch(notFound)));
    for (const index of new Set(lost.map((phoneId) => this.#indexFor(phoneId)))) {
      this.at(index)
        .start()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'a simulator process did not start; its first call starts it'),
        );
    }
  }

  at(index: number): SimulatorProcess {
    const known = this.#processes.get(index);
    if (known !== undefined) return known;
    const { linkTo, clock, log, onChange } = this.#options;
    const made = new SimulatorProcess({ index, link: linkTo(index), clock, log, onChange });
    this.#processes.set(index, made);
    return made;
  }

  /** Returns the process that runs the phone or, when none does, the process in which to start it. */
  async of(phoneId: string): Promise<SimulatorProcess> {
    return this.at(processOf(await this.#options.folder.runFile(phoneId).read()) ?? this.#indexFor(phoneId));
  }

  /**
   * Returns the process for work that belongs to no phone, such as the deletion of a snapshot. It is one that runs and responds, if any
   * does.
   */
  for(id: string): SimulatorProcess {
    const attended = this.attended();
    const responding = attended.filter(({ isResponding }) => isResponding);
    const running = responding.length > 0 ? responding : attended;
    return running[numberOf(id) % running.length] ?? this.at(this.#indexFor(id));
  }

  /** Returns the processes that run, or are being started. */
  attended(): SimulatorProcess[] {
    return [...this.#processes.values()].filter(({ isAttended }) => isAttended);
  }

  /** Stops attending the processes; with `quit`, they save their phones and end. */
  async close(options: { quit: boolean }): Promise<void> {
    await Promise.all([...this.#processes.values()].map((process) => process.close(options)));
  }

  async #lostPhones(): Promise<string[]> {
    const { folder } = this.#options;
    const phoneIds = await folder.list();
    const lost: string[] = [];
    for (const phoneId of phoneIds) if (wasRunning(await folder.runFile(phoneId).read())) lost.push(phoneId);
    return lost;
  }

  #indexFor(id: string): number {
    return numberOf(id) % this.#options.count;
  }
}

/** Returns a number that is the same for an id each time. The numbers of ids are evenly spread. */
function numberOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE();
}
