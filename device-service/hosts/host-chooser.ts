import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import type { Clock, Timer } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import type { PhoneModel } from '../../phone/driver.js';
import { HOST_BEAT_MS, HOST_SILENT_MS } from '../limits.js';
import type { HostStore } from '../store/hosts.js';

/** Memory that is never given to phones, MiB: the services themselves, and air for the system. */
const RESERVE_MB = 256;

export interface HostChooserOptions {
  hosts: HostStore;
  hostId: string;
  driver: string;
  /** Memory that one phone takes from the host, MiB: the model's for real phones, next to nothing for simulated ones. */
  phoneMemoryMb: (model: PhoneModel) => number;
  clock: Clock;
  log: Log;
}

/**
 * Tells the other instances that this host is alive and how much room it has, and chooses the host of a new phone: this one while
 * it has room, else the one with the most. Room is free memory as the system measures it, not a count of phones.
 */
export class HostChooser {
  readonly #options: HostChooserOptions;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: HostChooserOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#beat();
    const again = (): void => {
      if (this.#closed) return;
      this.#timer = this.#options.clock.after(HOST_BEAT_MS, () => {
        this.#beat()
          .catch((error: unknown) => this.#options.log.warn({ err: error }, 'could not tell that this host is alive'))
          .finally(again);
      });
    };
    again();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** Throws unavailable when no host has room. */
  async choose(model: PhoneModel): Promise<string> {
    const { hosts, hostId, driver, phoneMemoryMb, clock } = this.#options;
    const neededMb = phoneMemoryMb(model) + RESERVE_MB;
    if (freeMemoryMb() >= neededMb) return hostId;
    const alive = await hosts.findAlive(new Date(clock.now() - HOST_SILENT_MS));
    const roomy = alive
      .filter((host) => host._id !== hostId && host.driver === driver && host.freeMemoryMb >= neededMb)
      .sort((a, b) => b.freeMemoryMb - a.freeMemoryMb)[0];
    if (roomy !== undefined) return roomy._id;
    throw new ApiError(
      'unavailable',
      'No host has room for another phone now. Stop or delete one, or try again later.',
      {
        retryAfterS: 60,
      },
    );
  }

  #beat(): Promise<void> {
    const { hosts, hostId, driver, clock } = this.#options;
    return hosts.beat({ _id: hostId, driver, freeMemoryMb: freeMemoryMb(), seenAt: new Date(clock.now()) });
  }
}

/** What the system could give to a new process without swapping, MiB. */
function freeMemoryMb(): number {
  try {
    // os.freemem leaves out memory that only caches files, which is most of it on a busy host.
    const available = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    if (available !== undefined) return Math.floor(Number(available) / 1024);
  } catch {
    // Not Linux: the plainer measure below.
  }
  return Math.floor(freemem() / 1024 / 1024);
}
