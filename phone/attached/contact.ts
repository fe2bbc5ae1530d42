import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
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
  /** Pause before a lost phone is tried again: at first, doubled up to the longest. */
  retryMs: number;
  longestRetryMs: number;
  /** Longest time of each command of a check, ms. */
  commandMs: number;
}

const TIMES: ContactTimes = { checkMs: 5_000, bootingMs: 500, retryMs: 500, longestRetryMs: 5_000, commandMs: 5_000 };

/** Pause before a connection that ended is replaced, ms. */
const RECONNECT_MS = 100;

/** Longer than a way waits for a person to accept its key; the way has shorter limits of its own for the rest. */
const OPEN_MS = 120_000;

/**
 * Keeps a light ADB connection to one phone, from the driver's opening to its end: whether it is there, which phone it is and in which
 * of its starts. Its loss is noticed at once where the connection breaks, else at the next check.
 */
export class PhoneContact {
  readonly #way: PhoneWay;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #times: ContactTimes;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(reason: string | undefined) => void>();
  #contact: Contact = { state: 'connecting' };
  /** The one that listeners were last called for. */
  #reported: Contact = this.#contact;
  #link: PhoneLink | undefined;
  /** Cuts the connection, also one that is just being opened. */
  #endStay: (() => void) | undefined;
  /** Ends the pause before the next check. */
  #wake: (() => void) | undefined;
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

  /** Calls `listener` after each check or failed attempt; `reason` names the change. Returns the function that stops that. */
  onCheck(listener: (reason: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Checks a phone that is reached, or waits for the end of the first attempt. A lost phone is tried again anyway: not waited for. */
  async check(signal?: AbortSignal): Promise<Contact> {
    if (this.#contact.state === 'lost') return this.#contact;
    const checked = this.#afterCheck(() => true, signal);
    this.#wake?.();
    return checked;
  }

  /** Resolves when `holds` does, now or after a later check. Rejects when the signal aborts or the driver closes. */
  async until<T extends Contact>(holds: (contact: Contact) => contact is T, signal?: AbortSignal): Promise<T> {
    const now = this.#contact;
    return holds(now) ? now : ((await this.#afterCheck(holds, signal)) as T);
  }

  #afterCheck(holds: (contact: Contact) => boolean, signal?: AbortSignal): Promise<Contact> {
    return new Promise((resolve, reject) => {
      const signals = [this.#closing.signal, ...(signal ? [signal] : [])];
      const aborted = signals.find((one) => one.aborted);
      const end = (): void => {
        stop();
        for (const one of signals) one.removeEventListener('abort', fail);
      };
      const fail = (): void => {
        end();
        const reason: unknown = signals.find((one) => one.aborted)?.reason;
        reject(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
      };
      const stop = this.onCheck(() => {
        if (!holds(this.#contact)) return;
        end();
        resolve(this.#contact);
      });
      if (aborted) fail();
      else for (const one of signals) one.addEventListener('abort', fail, { once: true });
    });
  }

  /** Runs a command on the phone. Throws unavailable while it is not reached. */
  async shell(command: string, options: RunOptions): Promise<CommandResult> {
    if (this.#link === undefined) throw phoneUnavailable('The phone cannot be reached.');
    return this.#link.shell(command, options);
  }

  /** Asks adbd to reboot the phone. Returns also when it does not: whether it did shows in its identity. */
  async reboot(signal?: AbortSignal): Promise<void> {
    const options = { timeoutMs: this.#times.commandMs, doing: 'reboot', signal };
    await this.#link
      ?.stream('reboot:', options, () => true)
      .catch((error: unknown) => {
        this.#log.debug({ err: error }, 'the connection ended after the reboot command');
      });
    this.#wake?.();
  }

  close(): void {
    this.#closing.abort(new Error('the driver is closing'));
    this.#link?.close();
    this.#endStay?.();
    this.#wake?.();
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
      this.#retryMs = Math.min(this.#retryMs * 2, this.#times.longestRetryMs);
    }
  }

  /** Connects and checks the phone regularly until the link ends. Throws when that is the phone's doing. */
  async #stay(): Promise<void> {
    const { near, far } = memorySocket();
    let failure: unknown;
    const serving = this.#way.serve(far, { onKeyOffered: (problem) => this.#lose(problem) }).catch((error: unknown) => {
      failure = error;
    });
    near.once('close', () => this.#wake?.());
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
      // It broke, or a command that failed has retired it. Until the next one it is not known which phone is there.
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
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.#clock.sleep(ms, woken.signal).catch(() => undefined);
    this.#wake = undefined;
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

/** Without a stack: an operator has to do something about the phone, not about this program. */
function causeOf({ cause }: PhoneProblem): { cause?: string } {
  return cause instanceof Error ? { cause: cause.message } : {};
}
