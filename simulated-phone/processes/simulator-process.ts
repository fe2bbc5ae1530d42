import { type Client, createClient } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { gotNoResponse } from '../../kit/rpc/error-crossing.js';
import { type AttendResponse, SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { type PhoneChange, PhoneFailure } from '../../phone/driver.js';
import { PROTOCOL } from '../host/protocol.js';
import type { SimulatorLink } from './simulator-link.js';

type Simulator = Client<typeof SimulatorService>;

/** Pause before a lost process is searched for again, ms. */
const FIND_AGAIN_MS = 500;

/** How long a process may take to save its phones and end, ms, and how often one of another release is checked meanwhile. */
const QUIT_MS = 30_000;
const QUIT_CHECK_MS = 50;

/** The driver's lease on the process: an open Attend call. `ended` resolves, and never rejects, when it is over: the process ended, or `abort` was called. */
interface HeldLease {
  ended: Promise<void>;
  abort: () => void;
}

export interface SimulatorProcessOptions {
  index: number;
  link: SimulatorLink;
  clock: Clock;
  log: Log;
  onChange: (change: PhoneChange) => void;
}

/** One of the processes in which phones live, as the driver sees it. It is started by the first call that needs it. */
export class SimulatorProcess {
  /** Distinguishes it from the other processes of the driver. */
  readonly index: number;
  readonly #link: SimulatorLink;
  readonly #simulator: Simulator;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onChange: (change: PhoneChange) => void;
  /** Phones that are known to run there: those that are lost when it ends. */
  readonly #running = new Set<string>();
  /** False while its latest list of phones did not arrive, as when it is stopped by a signal. */
  isResponding = true;
  #lease: Promise<HeldLease> | undefined;
  #isClosed = false;

  constructor(options: SimulatorProcessOptions) {
    this.index = options.index;
    this.#link = options.link;
    this.#simulator = createClient(SimulatorService, options.link.transport);
    this.#clock = options.clock;
    this.#log = options.log;
    this.#onChange = options.onChange;
  }

  /** Whether it runs, or is being started, as far as is known. */
  get isAttended(): boolean {
    return this.#lease !== undefined;
  }

  /** Attends it if it runs. */
  async find(): Promise<void> {
    if (await this.#link.isUp()) await this.#attend();
  }

  /** Starts it unless it runs. */
  async start(): Promise<void> {
    await this.#attend();
  }

  /**
   * Makes a call, starting the process if need be. A call that the process did not respond to, because it ended, is made once more to
   * the next one: every call may be repeated, but a phone that ends its process each time must not do so for ever. A refusal by the
   * process itself is thrown as PhoneFailure, as it would be the same the next time, unless the refusal has a time to retry after.
   */
  async call<T>(run: (simulator: Simulator) => Promise<T>): Promise<T> {
    for (let first = true; ; first = false) {
      let lease: HeldLease | undefined;
      try {
        lease = await this.#attend();
        return await run(this.#simulator);
      } catch (error) {
        if (!(error instanceof ApiError) || error.kind === 'internal') throw error;
        if (!gotNoResponse(error)) {
          throw error.retryAfterS === undefined ? new PhoneFailure(error.message, { cause: error }) : error;
        }
        lease?.abort();
        await lease?.ended;
        if (!first || this.#isClosed) throw error;
        this.#log.warn({ err: error }, 'the simulator ended in the middle of a call; calling again');
      }
    }
  }

  /** Remembers that the phone runs there, until `noteStopped`. */
  noteRunning(phoneId: string): void {
    this.#running.add(phoneId);
  }

  noteStopped(phoneId: string): void {
    this.#running.delete(phoneId);
  }

  /** Stops attending it; with `quit`, it saves its phones and ends, for which it has 30 s: one that is stopped by a signal never does. */
  async close({ quit }: { quit: boolean }): Promise<void> {
    this.#isClosed = true;
    const lease = await this.#lease?.catch(() => undefined); // one that fails to start has nothing to quit
    if (quit && lease !== undefined) {
      await this.#quit().catch((error: unknown) => this.#log.warn({ err: error }, 'a simulator process did not quit'));
    }
    lease?.abort();
    await lease?.ended;
    this.#link.close();
  }

  async #quit(): Promise<void> {
    const controller = new AbortController();
    const late = this.#clock.after(QUIT_MS, () => controller.abort());
    try {
      await this.#simulator.quit({}, { signal: controller.signal });
    } finally {
      late.cancel();
    }
  }

  #attend(): Promise<HeldLease> {
    this.#lease ??= this.#open().catch((error: unknown) => {
      this.#lease = undefined;
      throw error;
    });
    return this.#lease;
  }

  async #open(): Promise<HeldLease> {
    const controller = new AbortController();
    const responses = await this.#attendThisRelease(controller.signal);
    return { ended: this.#follow(responses), abort: () => controller.abort() };
  }

  /** The responses of an Attend call after the first, by a process of this release; one of another release is made to end. */
  async #attendThisRelease(signal: AbortSignal): Promise<AsyncIterator<AttendResponse>> {
    const deadlineMs = this.#clock.monotonicMs() + QUIT_MS;
    while (!this.#isClosed) {
      await this.#link.ensure();
      const responses = this.#simulator.attend({}, { signal })[Symbol.asyncIterator]();
      const { value } = (await responses.next()) as IteratorResult<AttendResponse, undefined>;
      if (value?.protocol === PROTOCOL) {
        for (const phoneId of value.runningPhoneIds) this.#running.add(phoneId);
        return responses;
      }
      this.#log.warn(
        { theirs: value?.protocol, ours: PROTOCOL },
        'a simulator process of another release is requested to quit',
      );
      await this.#quit();
      while (await this.#link.isUp()) {
        if (this.#clock.monotonicMs() > deadlineMs)
          throw new Error('A simulator process of another release does not end.');
        await this.#clock.sleep(QUIT_CHECK_MS);
      }
    }
    throw new Error('the driver is closed');
  }

  /** Reports changes until the process ends, and then every phone that had been running. */
  async #follow(responses: AsyncIterator<AttendResponse>): Promise<void> {
    let failure: unknown;
    try {
      for (let next = await responses.next(); next.done !== true; next = await responses.next()) {
        const { changedPhoneId, reason } = next.value;
        if (changedPhoneId !== undefined) this.#onChange({ phoneId: changedPhoneId, reason });
      }
    } catch (error) {
      failure = error;
    }
    this.#lease = undefined;
    if (this.#isClosed) return;
    this.#log.warn({ err: failure }, 'a simulator process has ended');
    for (const phoneId of this.#running) this.#onChange({ phoneId, reason: 'the process that it ran in ended' });
    this.#running.clear();
    // It may be the connection alone that failed: a process without a driver ends by itself after a while.
    this.#clock.after(FIND_AGAIN_MS, () => {
      if (!this.#isClosed) this.find().catch((error: unknown) => this.#log.debug({ err: error }, 'not found again'));
    });
  }
}
