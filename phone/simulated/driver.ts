import { type Client, createClient } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import {
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
import { neverAnswered } from '../../kit/rpc/error-crossing.js';
import { exitMessage, specMessage, statusOf } from './host/phone-message.js';
import type { SimulatorLink } from './host/simulator-link.js';
import { simulatedModels } from './models.js';

export interface SimulatedDriverOptions {
  /** The way to the process in which the phones live, which is started when it does not run. */
  link: SimulatorLink;
  clock: Clock;
  log: Log;
  /** Whether phones go on running when the driver closes, to be found again by the next one. */
  phonesOutliveDriver: boolean;
}

/** Pause before the simulator is looked after again, when it ended, ms. */
const RETRY_MS = 500;

/** Memory that one more simulated phone takes, MiB: measured at 66 KiB idle, and a few MiB in use. */
const PHONE_MEMORY_MB = 2;

/** Simulated phones, which live in a process of their own (host/main.ts). */
export class SimulatedDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly #options: SimulatedDriverOptions;
  readonly #simulator: Client<typeof SimulatorService>;
  readonly #closing = new AbortController();
  readonly #watchers = new Set<(change: PhoneChange) => void>();
  /** Phones that this driver knows to run, so that it can tell which are lost when the process ends. */
  readonly #running = new Set<string>();
  #attending: Promise<void> | undefined;

  constructor(options: SimulatedDriverOptions) {
    this.#options = options;
    this.#simulator = createClient(SimulatorService, options.link.transport);
  }

  /** Starts the simulator's process if need be, and looks after it from now on. */
  async open(): Promise<void> {
    await this.#options.link.ensure();
    this.#attending = this.#attend();
  }

  capabilities(): PhoneCapabilities {
    return { models: simulatedModels, create: true, power: true, exit: true, snapshots: 'live' };
  }

  async capacity(): Promise<PhoneCapacity> {
    const { freeMemoryMb, freeDiskMb } = await this.#call(() => this.#simulator.getCapacity({}));
    return { freeMemoryMb, freeDiskMb, memoryMbOf: () => PHONE_MEMORY_MB };
  }

  async list(signal?: AbortSignal): Promise<Map<string, PhoneStatus>> {
    const { phones } = await this.#call(() => this.#simulator.listPhones({}, optionsOf({ signal })));
    return new Map(phones.map((phone) => [phone.phoneId, this.#noted(phone.phoneId, statusOf(phone))]));
  }

  async inspect(phoneId: string, signal?: AbortSignal): Promise<PhoneStatus> {
    const { status } = await this.#call(() => this.#simulator.inspectPhone({ phoneId }, optionsOf({ signal })));
    return this.#noted(phoneId, statusOf(status));
  }

  async create(phone: PhoneSpec, options?: OperationOptions): Promise<void> {
    await this.#call(() => this.#simulator.createPhone({ phone: specMessage(phone) }, optionsOf(options)));
  }

  start(phoneId: string, options: StartOptions = {}): Promise<PhoneEndpoint> {
    return this.#call(async () => {
      for await (const { progress, endpoint } of this.#simulator.startPhone({ phoneId }, optionsOf(options))) {
        options.onProgress?.(progress);
        if (endpoint === undefined) continue;
        const { host, port, identity } = endpoint;
        this.#running.add(phoneId);
        return { host, port, identity };
      }
      throw new PhoneFailure('The phone did not say where it listens.');
    });
  }

  async stop(phoneId: string, how: 'save' | 'kill', options?: OperationOptions): Promise<void> {
    this.#running.delete(phoneId);
    await this.#call(() => this.#simulator.stopPhone({ phoneId, kill: how === 'kill' }, optionsOf(options)));
  }

  async delete(phoneId: string, options?: OperationOptions): Promise<void> {
    this.#running.delete(phoneId);
    await this.#call(() => this.#simulator.deletePhone({ phoneId }, optionsOf(options)));
  }

  readonly snapshots: PhoneSnapshots = {
    take: async (phoneId, snapshotId, options) => {
      const { sizeBytes } = await this.#call(() =>
        this.#simulator.snapshotPhone({ phoneId, snapshotId }, optionsOf(options)),
      );
      return { sizeBytes };
    },
    restore: async (phoneId, snapshotId, options) => {
      await this.#call(() => this.#simulator.restorePhone({ phoneId, snapshotId }, optionsOf(options)));
    },
    clone: async (snapshotId, phone, options) => {
      await this.#call(() => this.#simulator.clonePhone({ snapshotId, phone: specMessage(phone) }, optionsOf(options)));
    },
    delete: async (snapshotId) => {
      await this.#call(() => this.#simulator.deleteSnapshot({ snapshotId }));
    },
  };

  async setExit(phoneId: string, exit: PhoneExit, options?: OperationOptions): Promise<void> {
    await this.#call(() => this.#simulator.setExit({ phoneId, exit: exitMessage(exit) }, optionsOf(options)));
  }

  async *watch(signal: AbortSignal): AsyncIterable<PhoneChange> {
    const changes: PhoneChange[] = [];
    let wake = (): void => undefined;
    const listener = (change: PhoneChange): void => {
      changes.push(change);
      wake();
    };
    signal.addEventListener('abort', () => wake(), { once: true });
    this.#watchers.add(listener);
    try {
      while (!signal.aborted) {
        if (changes.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        yield* changes.splice(0);
      }
    } finally {
      this.#watchers.delete(listener);
    }
  }

  async close(): Promise<void> {
    if (!this.#options.phonesOutliveDriver) {
      await this.#simulator
        .quit({})
        .catch((error: unknown) => this.#options.log.warn({ err: error }, 'the simulator did not quit'));
    }
    this.#closing.abort(new Error('closing'));
    await this.#attending;
    this.#options.link.close();
  }

  /**
   * Makes sure that the simulator runs, and turns its refusals into PhoneFailure. What it was asked when it ended is asked again of
   * the next one, once: everything here is safe to do again, but a phone that ends its process each time must not do so for ever.
   */
  async #call<T>(call: () => Promise<T>): Promise<T> {
    const { link, log } = this.#options;
    for (let first = true; ; first = false) {
      await link.ensure(!first);
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind === 'internal') throw error;
        if (first && neverAnswered(error) && !this.#closing.signal.aborted) {
          log.warn({ err: error }, 'the simulator ended in the middle; asking again');
          continue;
        }
        throw new PhoneFailure(error.message, { cause: error });
      }
    }
  }

  /** Holds an Attend call open; when it ends because the process did, tells which phones went with it, and brings it back. */
  async #attend(): Promise<void> {
    const { clock, log, link } = this.#options;
    const { signal } = this.#closing;
    // Asked anew each time: TypeScript would take what it saw at the head of the loop to hold through it.
    const closing = (): boolean => signal.aborted;
    while (!closing()) {
      try {
        await link.ensure();
        for await (const { lostPhoneId, reason } of this.#simulator.attend({}, { signal })) {
          if (lostPhoneId !== undefined) this.#tellLost(lostPhoneId, reason);
        }
      } catch (error) {
        if (!closing()) log.warn({ err: error }, 'lost touch with the simulator');
      }
      if (closing()) return;
      await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      await this.#tellMissing();
    }
  }

  async #tellMissing(): Promise<void> {
    for (const phoneId of [...this.#running]) {
      try {
        if ((await this.inspect(phoneId)).state !== 'running') this.#tellLost(phoneId, 'the simulator ended');
      } catch (error) {
        this.#options.log.warn({ phone: phoneId, err: error }, 'could not look for a phone');
      }
    }
  }

  #noted(phoneId: string, status: PhoneStatus): PhoneStatus {
    if (status.state === 'running') this.#running.add(phoneId);
    return status;
  }

  #tellLost(phoneId: string, reason: string): void {
    this.#running.delete(phoneId);
    for (const listener of this.#watchers) listener({ phoneId, reason });
  }
}

function optionsOf(options: { signal?: AbortSignal | undefined } = {}): { signal?: AbortSignal } {
  return options.signal === undefined ? {} : { signal: options.signal };
}
