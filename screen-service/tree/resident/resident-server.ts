import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { Cancellation } from '../../../kit/async/within.js';
import { UIA2_PACKAGE, UIA2_TEST_PACKAGE } from '../../../phone/helper-packages.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { parseDisplayOff } from '../../../phone/screen/windows.js';
import { READ_DISPLAY } from '../../display/foreground.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { Uia2Client } from './uia2-client.js';
import { findApks, installServer } from './uia2-package.js';

/** The place at which the server listens on the phone. */
const UIA2_SERVICE = 'tcp:6790';

/** Longest time for the server to come up, ms. A caller that needs a tree waits for it. A phone takes one to three seconds. */
const START_MS = 6_000;
const POLL_MS = 50;

/** Longest time for one source, ms. A phone that takes longer is as fast without the server. */
const SOURCE_MS = 4_000;

/** Longest time for the server to end by itself, ms. After it, the server is ended by force. */
const END_MS = 2_000;

/** Pause after the server is lost, ms. It doubles with each loss, until a server has run for STEADY_MS. */
const REST_MS = 10_000;
const MAX_REST_MS = 600_000;
const STEADY_MS = 120_000;

const COMMAND_MS = 5_000;
const MAX_COMMAND_BYTES = 64 * 1024;

/**
 * The command that starts the server. Customers' accessibility services stay on. Checks of hidden interfaces are turned off, as the server
 * needs interfaces that Android 9 and later hide.
 */
const START_COMMAND =
  'am instrument -w $([ $(getprop ro.build.version.sdk) -ge 28 ] && echo --no-hidden-api-checks) -e disableAnalytics true ' +
  `-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true ${UIA2_TEST_PACKAGE}/androidx.test.runner.AndroidJUnitRunner`;

/** One start of the server by this service. */
interface Start {
  link: PhoneLink;
  client: Uia2Client;
  sessionId: string;
  /** Resolves when the `am` command of this start has ended, and so has the instrumentation. */
  ended: Promise<void>;
  hasEnded: () => boolean;
  startedMs: number;
}

/** The error for a server that is not started now. `isLoss`: the start is tried again only after a pause. */
class NotStarted extends Error {
  readonly isLoss: boolean;

  constructor(message: string, { isLoss }: { isLoss: boolean }) {
    super(message);
    this.isLoss = isLoss;
  }
}

/**
 * Installs, starts and ends Appium's UiAutomator2 server on one phone. While the server runs, it has the phone's only connection to
 * accessibility for automation. So it runs only while it is allowed. Servers and test runs of other clients are never ended.
 */
export class ResidentServer {
  readonly #phone: ReachedPhone;
  readonly #findApks: typeof findApks;
  #isAllowed = false;
  #package: 'unknown' | 'installing' | 'installed' | 'never' = 'unknown';
  #start: Start | undefined;
  /** The start or the end under way. */
  #work: { stop: Cancellation; done: Promise<unknown> } | undefined;
  readonly #closing = new Cancellation();
  #restUntilMs = -Infinity;
  #restMs = REST_MS;

  /** `find` returns the APKs to install. Absent: those of the optional package. */
  constructor(phone: ReachedPhone, find = findApks) {
    this.#phone = phone;
    this.#findApks = find;
  }

  /** Sets whether the server may be installed and run now. A running server that is not allowed any more is ended. */
  allow(isAllowed: boolean): void {
    if (isAllowed) this.#isAllowed = !this.#closing.signal.aborted;
    else void this.release();
  }

  /** Whether the server may run now. */
  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  /** Whether a source can be read. */
  get isRunning(): boolean {
    return this.#start !== undefined;
  }

  /** Whether the server is installed on the phone. */
  get isInstalled(): boolean {
    return this.#package === 'installed';
  }

  /**
   * Starts the server where it is allowed and installed. Where it is not installed yet, the installation begins. Returns whether the server
   * runs. While the server starts, the phone can make no dump.
   */
  async connect(signal: AbortSignal): Promise<boolean> {
    await this.#work?.done;
    if (!this.#isAllowed || this.#package === 'never') return false;
    if (this.#start !== undefined) return true;
    if (this.#package !== 'installed') {
      if (this.#package === 'unknown') void this.#install();
      return false;
    }
    const { clock, log } = this.#phone;
    if (clock.monotonicMs() < this.#restUntilMs) return false;
    try {
      await this.#during(signal, (stop) => this.#begin(stop));
    } catch (error) {
      if (signal.aborted || !this.isAllowed) return false;
      if (!(error instanceof NotStarted) || error.isLoss) this.#rest(0);
      log.info({ err: error }, 'the UiAutomator2 server does not run on this phone now; trees are dumped');
    }
    return this.isRunning;
  }

  /** Returns the source of the screen. Throws when it cannot be read; then the server is ended, unless `signal` aborted. */
  async source(signal: AbortSignal): Promise<string> {
    const start = this.#start;
    if (start === undefined) throw new Error('the UiAutomator2 server does not run');
    try {
      const limits = { timeoutMs: SOURCE_MS, maxBytes: this.#phone.limits.maxTreeBytes };
      return await start.client.source(start.sessionId, limits, signal);
    } catch (error) {
      if (!signal.aborted) await this.lose(error);
      throw error;
    }
  }

  /** Ends the server, which proved to be of no use, and pauses before the next try. */
  async lose(error: unknown): Promise<void> {
    const start = this.#start;
    if (start === undefined) return;
    this.#phone.log.info({ err: error }, 'the UiAutomator2 server of this phone is lost; trees are dumped');
    this.#rest(this.#phone.clock.monotonicMs() - start.startedMs);
    await this.#end(start);
  }

  /** Ends the server, which is not started again until it is allowed. Resolves when it has ended. */
  async release(): Promise<void> {
    this.#isAllowed = false;
    this.#work?.stop.abort(new Error('the UiAutomator2 server is released'));
    await this.#work?.done;
    if (this.#start !== undefined) await this.#end(this.#start);
  }

  /** Ends everything, for good. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the phone is not used any more'));
    await this.release();
  }

  async #install(): Promise<void> {
    const { link: kept, log } = this.#phone;
    this.#package = 'installing';
    let link: PhoneLink | undefined;
    try {
      const apks = await this.#findApks();
      // The files go over a link of their own, as they would delay every command on the other link.
      link = apks && (await kept.openApart());
      const isThere = link !== undefined && (await installServer(link, apks ?? [], this.#closing.signal));
      this.#package = isThere ? 'installed' : 'never';
    } catch (error) {
      this.#package = this.#closing.signal.aborted ? 'unknown' : 'never';
      log.info({ err: error }, 'the UiAutomator2 server cannot be installed on this phone; trees are dumped');
    } finally {
      link?.close();
    }
  }

  /** Runs work that is stopped by `signal`, by a release, and after START_MS. Resolves when the work, and all that it began, has ended. */
  async #during(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const onTimeout = (): Error => new NotStarted('it does not come up in time', { isLoss: true });
    const stop = new Cancellation([signal], { clock: this.#phone.clock, timeoutMs: START_MS, onTimeout });
    const running = begunAhead(work(stop.signal));
    const entry = { stop, done: running.catch(() => undefined) };
    this.#work = entry;
    try {
      await running;
    } finally {
      stop.end();
      if (this.#work === entry) this.#work = undefined;
    }
  }

  async #begin(signal: AbortSignal): Promise<void> {
    const { clock, phone } = this.#phone;
    const link = await this.#phone.link.openApart();
    const doing = 'run the UiAutomator2 server';
    const client = new Uia2Client(clock, (ends) =>
      link.socket(UIA2_SERVICE, { timeoutMs: COMMAND_MS, doing, signal: ends }),
    );
    let am: 'none' | 'runs' | 'ended' = 'none';
    const over = new AbortController();
    let isKept = false;
    try {
      await this.#clearWay(link, client, signal);
      const options = { timeoutMs: Infinity, doing, signal: over.signal };
      am = 'runs';
      const ended = link
        .stream(`exec:${START_COMMAND}`, options, () => undefined)
        .catch(() => undefined)
        .then(() => void (am = 'ended'));
      const hasEnded = (): boolean => am === 'ended';
      while (!(await client.isReady(signal))) {
        if (hasEnded()) throw new NotStarted('the instrumentation ended', { isLoss: true });
        await clock.sleep(POLL_MS, signal);
      }
      const sessionId = await client.begin(phone.phoneId, signal);
      signal.throwIfAborted();
      const start = { link, client, sessionId, ended, hasEnded, startedMs: clock.monotonicMs() };
      this.#start = start;
      isKept = true;
      void ended.then(async () => {
        if (this.#start === start) await this.lose(new Error('the instrumentation ended'));
      });
    } finally {
      if (!isKept) {
        // A server that runs before `am` was started belongs to another client.
        if (am === 'runs' && link.usable) await this.#force(link);
        over.abort(new Error('the UiAutomator2 server is not started'));
        link.close();
      }
    }
  }

  /**
   * Ends a server that an earlier process of this service left. Throws NotStarted when it belongs to another client. Throws it also when
   * the display is off, as the server would turn it on.
   */
  async #clearWay(link: PhoneLink, client: Uia2Client, signal: AbortSignal): Promise<void> {
    const options = { timeoutMs: COMMAND_MS, maxBytes: MAX_COMMAND_BYTES, signal, doing: 'report its display' };
    const display = await link.exec(READ_DISPLAY, options);
    if (parseDisplayOff(display.toString('latin1'))) throw new NotStarted('the display is off', { isLoss: false });
    if (!(await client.isReady(signal))) return;
    const own = await client.ownSessions(this.#phone.phone.phoneId, signal);
    if (own === undefined) throw new NotStarted('another client uses a UiAutomator2 server', { isLoss: true });
    for (const id of own) await client.end(id);
    await this.#force(link);
  }

  async #end(start: Start): Promise<void> {
    if (this.#start === start) this.#start = undefined;
    const { link, client, sessionId, ended, hasEnded } = start;
    const end = async (): Promise<void> => {
      if (!hasEnded()) {
        await client.end(sessionId);
        const limit = new AbortController();
        await Promise.race([ended, this.#phone.clock.sleep(END_MS, limit.signal).catch(() => undefined)]);
        limit.abort();
        // The server is ended by force only while this start's own `am` runs. Otherwise it may belong to another start.
        if (!hasEnded() && link.usable) await this.#force(link);
      }
      link.close();
    };
    const work = { stop: new Cancellation(), done: begunAhead(end()) };
    this.#work = work;
    await work.done;
    if (this.#work === work) this.#work = undefined;
  }

  /** Ends the server's process. */
  async #force(link: PhoneLink): Promise<void> {
    const options = { timeoutMs: COMMAND_MS, maxBytes: MAX_COMMAND_BYTES, doing: 'end the UiAutomator2 server' };
    await link.exec(`am force-stop ${UIA2_PACKAGE}`, options).catch(() => undefined);
  }

  #rest(lastedMs: number): void {
    if (lastedMs >= STEADY_MS) this.#restMs = REST_MS;
    this.#restUntilMs = this.#phone.clock.monotonicMs() + this.#restMs;
    this.#restMs = Math.min(MAX_REST_MS, this.#restMs * 2);
  }
}
