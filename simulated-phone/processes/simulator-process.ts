import { begunAhead } from '../../kit/async/begun-ahead.js';
import { type Client, createClient } from '@connectrpc/connect';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import { gotNoResponse } from '../../kit/rpc/error-crossing.js';
import { type AttendResponse, SimulatorService } from '../../proto/gen/cloudphone/simulator/v1/simulator_service_pb.js';
import { type PhoneChange, PhoneFailure } from '../../phone/driver.js';
import { PROTOCOL } from '../host/protocol.js';
import type { SimulatorLink } from './simulator-link.js';

type Simulator = Client<typeof SimulatorService>;

/** Pause before a lost process is searched for again, ms. */
const FIND_AGAIN_MS = 500;

/**
 * How long a process may take to save its phones and end, ms. The second time is the pause between checks that a process of another release
 * is gone.
 */
const QUIT_MS = 30_000;
const QUIT_CHECK_MS = 50;

/**
 * The driver's lease on the process: an open Attend call. `ended` resolves, and never rejects, when the process has ended or `abort` was
 * called.
 */
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

/** One of the processes in which phones live, as the driver sees it. The first call that needs the process starts it. */
export class SimulatorProcess {
  /** Index of the process among those of the driver. */
  readonly index: number;
  readonly #link: SimulatorLink;
  readonly #simulator: Simulator;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onChange: (change: PhoneChange) => void;
  /** Phones that are known to run there, which are lost when the process ends. */
  readonly #running = new Set<string>();
  /** False when the latest request for its list of phones got no response, as when a signal has stopped the process. */
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

  /** Whether the process runs or is being started, as far as the driver knows. */
  get isAttended(): boolean {
    return this.#lease !== undefined;
  }

  /** Attends the process if it runs. */
  async find(): Promise<void> {
    if (await this.#link.isUp()) await this.#attend();
  }

  /** Starts the process unless it runs. */
  async start(): Promise<void> {
    await this.#attend();
  }

  /**
   * Makes a call, and starts the process first if need be. If the process ends without a response, the call is made once more, to the next
   * process. Every call may be repeated. It is repeated only once, as a phone may end its process each time. A refusal by the process is
   * thrown as PhoneFailure, as it would be the same the next time. A refusal with a time to retry after is thrown as it is.
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

  /**
   * Stops attending the process. With `quit`, the process saves its phones and ends. The wait is limited to 30 s, as a process that a
   * signal has stopped never ends.
   */
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
    return { ended: begunAhead(this.#follow(responses)), abort: () => controller.abort() };
  }

  /**
   * Returns the responses of an Attend call after the first one, once a process of this release runs. Requests a process of another release
   * to quit, and waits for its end.
   */
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

  /** Reports changes until the process ends. Then reports a change of every phone that was running in it. */
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
    // Perhaps only the connection failed, so the process is searched for. A process without a driver ends by itself after a while.
    this.#clock.after(FIND_AGAIN_MS, () => {
      if (!this.#isClosed) this.find().catch((error: unknown) => this.#log.debug({ err: error }, 'not found again'));
    });
  }
}
