import { type Client, createClient } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import {
  type PhoneAddress,
  type PhoneDriver,
  type PhoneExit,
  PhoneFailure,
  type PhoneSpec,
  type PhoneStatus,
  type StartOptions,
} from '../driver.js';
import { neverAnswered } from '../../kit/rpc/error-crossing.js';
import { exitMessage, specMessage } from './host/phone-message.js';
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

/** Simulated phones, which live in a process of their own (host/main.ts). */
export class SimulatedDriver implements PhoneDriver {
  readonly kind = 'simulated';
  readonly #options: SimulatedDriverOptions;
  readonly #simulator: Client<typeof SimulatorService>;
  readonly #closing = new AbortController();
  readonly #lost: ((phoneId: string, reason: string) => void)[] = [];
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

  models() {
    return simulatedModels;
  }

  async create(phone: PhoneSpec, signal?: AbortSignal): Promise<void> {
    await this.#ask(() => this.#simulator.createPhone({ phone: specMessage(phone) }, options(signal)));
  }

  start(phoneId: string, { signal, onProgress }: StartOptions = {}): Promise<PhoneAddress> {
    return this.#ask(async () => {
      let address: PhoneAddress | undefined;
      for await (const { progress, host, port } of this.#simulator.startPhone({ phoneId }, options(signal))) {
        onProgress?.(progress);
        if (host !== '') address = { host, port };
      }
      if (address === undefined) throw new PhoneFailure('The phone did not say where it listens.');
      this.#running.add(phoneId);
      return address;
    });
  }

  async stop(phoneId: string, signal?: AbortSignal): Promise<void> {
    this.#running.delete(phoneId);
    await this.#ask(() => this.#simulator.stopPhone({ phoneId }, options(signal)));
  }

  async delete(phoneId: string, signal?: AbortSignal): Promise<void> {
    this.#running.delete(phoneId);
    await this.#ask(() => this.#simulator.deletePhone({ phoneId }, options(signal)));
  }

  async find(phoneId: string): Promise<PhoneStatus> {
    const { state, host, port } = await this.#ask(() => this.#simulator.findPhone({ phoneId }));
    if (state === 'running') {
      this.#running.add(phoneId);
      return { state, address: { host, port } };
    }
    return { state: state === 'starting' || state === 'stopped' ? state : 'absent' };
  }

  async snapshot(phoneId: string, snapshotId: string, signal?: AbortSignal): Promise<{ sizeBytes: number }> {
    const { sizeBytes } = await this.#ask(() =>
      this.#simulator.snapshotPhone({ phoneId, snapshotId }, options(signal)),
    );
    return { sizeBytes };
  }

  async restore(phoneId: string, snapshotId: string, signal?: AbortSignal): Promise<void> {
    await this.#ask(() => this.#simulator.restorePhone({ phoneId, snapshotId }, options(signal)));
  }

  async clone(snapshotId: string, phone: PhoneSpec, signal?: AbortSignal): Promise<void> {
    await this.#ask(() => this.#simulator.clonePhone({ snapshotId, phone: specMessage(phone) }, options(signal)));
  }

  async deleteSnapshot(snapshotId: string): Promise<void> {
    await this.#ask(() => this.#simulator.deleteSnapshot({ snapshotId }));
  }

  async setExit(phoneId: string, exit: PhoneExit, signal?: AbortSignal): Promise<void> {
    await this.#ask(() => this.#simulator.setExit({ phoneId, exit: exitMessage(exit) }, options(signal)));
  }

  onLost(listener: (phoneId: string, reason: string) => void): void {
    this.#lost.push(listener);
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
  async #ask<T>(call: () => Promise<T>): Promise<T> {
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
        if ((await this.find(phoneId)).state !== 'running') this.#tellLost(phoneId, 'the simulator ended');
      } catch (error) {
        this.#options.log.warn({ phone: phoneId, err: error }, 'could not look for a phone');
      }
    }
  }

  #tellLost(phoneId: string, reason: string): void {
    this.#running.delete(phoneId);
    for (const listener of this.#lost) listener(phoneId, reason);
  }
}

function options(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
