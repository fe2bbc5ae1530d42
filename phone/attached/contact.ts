import { Cancellation } from '../../kit/async/within.js';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { Log } from '../../kit/log/log.js';
import { readIdentity } from '../link/identity.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { type CommandResult, PhoneLink, type RunOptions } from '../link/phone-link.js';
import { type PhoneFacts, readFacts } from './phone-facts.js';
import { memorySocket } from './way/memory-socket.js';
import { PhoneProblem, type PhoneWay, unreachable } from './way/phone-way.js';

/** The state of a phone as last seen. */
export type Contact =
  /** The first attempt since the driver was opened, or since the connection ended, is under way. */
  | { state: 'connecting' }
  | { state: 'lost'; problem: PhoneProblem }
  /** `identity` as in PhoneEndpoint; `facts` once the phone has booted. */
  | { state: 'reached'; identity: string; facts?: PhoneFacts };

type Reached = Extract<Contact, { state: 'reached' }>;
/** Reached, and its boot is complete. */
export type Booted = Reached & { facts: PhoneFacts };

export function isBooted(contact: Contact): contact is Booted {
  return contact.state === 'reached' && contact.facts !== undefined;
}

export interface ContactTimes {
  /** How often a phone that is reached is checked, ms. */
  checkMs: number;
  /** The same while it boots. */
  bootingMs: number;
  /** First pause before a lost phone is tried again, ms. Each further pause is twice as long, up to `maxRetryMs`. */
  retryMs: number;
  maxRetryMs: number;
  /** Longest time of each command of a check, ms. */
  commandMs: number;
}

const TIMES: ContactTimes = { checkMs: 5_000, bootingMs: 500, retryMs: 500, maxRetryMs: 5_000, commandMs: 5_000 };

/** Pause before a connection that ended is replaced, ms. */
const RECONNECT_MS = 100;

/**
 * Limit for opening the link, ms. It is longer than a PhoneWay waits for a person to accept the ADB key. For its other work, a PhoneWay has
 * shorter limits itself.
 */
const OPEN_MS = 120_000;

/**
 * Keeps a light ADB connection to one phone, from the driver's opening to its end. Finds whether the phone is there, which phone it is, and
 * whether it has rebooted. A lost phone is noticed at once when the connection breaks, and otherwise at the next check.
 */
export class PhoneContact {
  readonly #way: PhoneWay;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #times: ContactTimes;
  readonly #closing = new Cancellation();
  readonly #listeners = new Set<(reason: string | undefined) => void>();
  #contact: Contact = { state: 'connecting' };
  /** The contact for which listeners were last called. */
  #reported: Contact = this.#contact;
  #link: PhoneLink | undefined;
  /** Cuts the connection, also one that is just being opened. */
  #endStay: (() => void) | undefined;
  /** Ends the pause before the next check. */
  readonly #news = new WakeSignal();
  #retryMs: number;

  constructor(options: { way: PhoneWay; clock: Clock; log: Log; times?: Partial<ContactTimes> }) {
    this.#way = options.way;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#times = { ...TIMES, ...options.times };
    this.#retryMs = this.#times.retryMs;
    void this.#keep();
  }

  get now(): Contact {
    return this.#contact;
  }

  /** Calls `listener` after each check or failed attempt, with the change if there is one. Returns a function that ends the calls. */
  onCheck(listener: (reason: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Checks a phone that is reached, or waits for the first attempt. Returns at once for a lost phone, which is tried again anyway. */
  async check(signal?: AbortSignal): Promise<Contact> {
    if (this.#contact.state === 'lost') return this.#contact;
    const checked = begunAhead(this.#afterCheck(() => true, signal));
    this.#news.wake();
    return checked;
  }

  /** Resolves when `holds` returns true, now or after a later check. Rejects when the signal aborts or the driver closes. */
  async until<T extends Contact>(holds: (contact: Contact) => contact is T, signal?: AbortSignal): Promise<T> {
    const now = this.#contact;
    return holds(now) ? now : ((await this.#afterCheck(holds, signal)) as T);
  }

  async #afterCheck(holds: (contact: Contact) => boolean, signal?: AbortSignal): Promise<Contact> {
    const waiting = new Cancellation([this.#closing.signal, signal]);
    let stop = (): void => undefined;
    const held = new Promise<Contact>((resolve) => {
      stop = this.onCheck(() => {
        if (holds(this.#contact)) resolve(this.#contact);
      });
    });
    try {
      return await waiting.unlessEnded(held);
    } finally {
      stop();
      waiting.end();
    }
  }

  /** Runs a command on the phone. Throws unavailable while it is not reached. */
  async shell(command: string, options: RunOptions): Promise<CommandResult> {
    if (this.#link === undefined) throw phoneUnavailable('The phone cannot be reached.');
    return this.#link.shell(command, options);
  }

  /** Sends adbd the command to reboot. Returns even when the phone does not reboot: only a new identity proves that it did. */
  async reboot(signal?: AbortSignal): Promise<void> {
    const options = { timeoutMs: this.#times.commandMs, doing: 'reboot', signal };
    await this.#link
      ?.stream('reboot:', options, () => true)
      .catch((error: unknown) => {
        this.#log.debug({ err: error }, 'the connection ended after the reboot command');
      });
    this.#news.wake();
  }

  close(): void {
    this.#closing.abort(new Error('the driver is closing'));
    this.#link?.close();
    this.#endStay?.();
    this.#news.wake();
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    const closed = (): boolean => signal.aborted;
    while (!closed()) {
      try {
        await this.#stay();
        await this.#clock.sleep(RECONNECT_MS, signal).catch(() => undefined);
        continue;
      } catch (error) {
        if (closed()) return;
        this.#lose(error instanceof PhoneProblem ? error : unreachable(error));
      }
      await this.#clock.sleep(this.#retryMs, signal).catch(() => undefined);
      this.#retryMs = Math.min(this.#retryMs * 2, this.#times.maxRetryMs);
    }
  }

  /** Connects and checks the phone regularly until the link ends. Throws when the phone cannot be reached or a check fails. */
  async #stay(): Promise<void> {
    const { near, far } = memorySocket();
    let failure: unknown;
    const serving = this.#way.serve(far, { onKeyOffered: (problem) => this.#lose(problem) }).catch((error: unknown) => {
      failure = error;
    });
    near.once('close', () => this.#news.wake());
    this.#endStay = () => near.destroy();
    try {
      const link = await PhoneLink.open({
        host: '',
        port: 0,
        clock: this.#clock,
        connectSocket: () => near,
        timeoutMs: OPEN_MS,
      });
      this.#link = link;
      if (this.#closing.signal.aborted) link.close();
      while (link.usable) {
        await this.#checkPhone(link);
        await this.#pause();
      }
      // The link broke, or a failed command retired it. Until the next link opens, it is not known which phone is there.
      this.#contact = { state: 'connecting' };
    } catch (error) {
      // The failure of the way is more specific than the end of the connection.
      throw failure ?? error;
    } finally {
      this.#link?.close();
      this.#link = undefined;
      near.destroy();
      await serving;
    }
  }

  async #checkPhone(link: PhoneLink): Promise<void> {
    const before = this.#reported;
    const timeoutMs = this.#times.commandMs;
    const identity = await readIdentity(link, { timeoutMs });
    let facts = isBooted(before) && before.identity === identity ? before.facts : undefined;
    if (facts === undefined) {
      const booted = await link.shell('getprop sys.boot_completed', { timeoutMs, maxBytes: 100, doing: 'say whether it has booted' }); // prettier-ignore
      if (booted.stdout.toString().trim() === '1') facts = await readFacts(link, { timeoutMs });
    }
    this.#retryMs = this.#times.retryMs;
    const now: Reached = { state: 'reached', identity, ...(facts && { facts }) };
    this.#contact = now;
    this.#reported = now;
    this.#notify(changeBetween(before, now));
  }

  async #pause(): Promise<void> {
    const ms = isBooted(this.#contact) ? this.#times.checkMs : this.#times.bootingMs;
    await this.#news.wait({ timeout: { clock: this.#clock, ms } });
  }

  #lose(problem: PhoneProblem): void {
    const before = this.#reported;
    this.#contact = { state: 'lost', problem };
    this.#reported = this.#contact;
    const isNews = before.state !== 'lost' || before.problem.message !== problem.message;
    if (isNews) this.#log.warn({ problem: problem.message, ...causeOf(problem) }, 'an attached phone is lost');
    this.#notify(isNews ? problem.message : undefined);
  }

  #notify(reason: string | undefined): void {
    for (const listener of [...this.#listeners]) listener(reason);
  }
}

function changeBetween(before: Contact, now: Reached): string | undefined {
  if (before.state !== 'reached') return 'the phone was reached';
  if (before.identity !== now.identity) return 'the phone was rebooted, or another one came in its place';
  return isBooted(before) === isBooted(now) ? undefined : 'the phone has booted';
}

/** Returns the cause for the log, without a stack: an operator has to do something about the phone, not about this program. */
function causeOf({ cause }: PhoneProblem): { cause?: string } {
  return cause instanceof Error ? { cause: cause.message } : {};
}
