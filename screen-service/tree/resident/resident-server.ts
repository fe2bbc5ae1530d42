import { Limited, sharedAbort } from '../../../kit/within.js';
import { UIA2_PACKAGE, UIA2_TEST_PACKAGE } from '../../../phone/helper-packages.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { parseDisplayOff } from '../../../phone/screen/windows.js';
import { READ_DISPLAY } from '../../app/display.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import { Uia2Client } from './uia2-client.js';
import { findApks, installServer } from './uia2-package.js';

/** Where the server listens on the phone. */
const UIA2_SERVICE = 'tcp:6790';

/** Time for the server to come up, which a caller that needs a tree waits for, ms. A phone takes one to three seconds. */
const START_MS = 6_000;
const POLL_MS = 50;

/** Time for one source, ms: a phone that takes longer is no faster with it than without. */
const SOURCE_MS = 4_000;

/** Time for the server to end by itself, ms; then it is ended by force. */
const END_MS = 2_000;

/** Pause after a loss, ms: doubled with each, until one start has lasted for STEADY_MS. */
const REST_MS = 10_000;
const REST_MOST_MS = 600_000;
const STEADY_MS = 120_000;

const COMMAND_MS = 5_000;
const COMMAND_MAX_BYTES = 64 * 1024;

/** Customers' accessibility services stay on. Android 9 and later hide interfaces that the server needs. */
const START_COMMAND =
  'am instrument -w $([ $(getprop ro.build.version.sdk) -ge 28 ] && echo --no-hidden-api-checks) -e disableAnalytics true ' +
  `-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true ${UIA2_TEST_PACKAGE}/androidx.test.runner.AndroidJUnitRunner`;

/** A start of the server that this service made. */
interface Start {
  link: PhoneLink;
  client: Uia2Client;
  sessionId: string;
  /** Resolves when its `am` has ended, and with it the instrumentation. */
  ended: Promise<void>;
  hasEnded: () => boolean;
  startedMs: number;
}

/** The server is not started now. `isLoss`: it is tried again only after a pause. */
class NotStarted extends Error {
  readonly isLoss: boolean;

  constructor(message: string, { isLoss }: { isLoss: boolean }) {
    super(message);
    this.isLoss = isLoss;
  }
}

/**
 * Appium's UiAutomator2 server on one phone: installs it, starts it, ends it. It has the phone's only connection to accessibility for
 * automation while it runs, so it runs only while it is allowed, and it never ends a server or a run that is not its own.
 */
export class ResidentServer {
  readonly #phone: ReachedPhone;
  readonly #findApks: typeof findApks;
  #isAllowed = false;
  #package: 'unknown' | 'installing' | 'installed' | 'never' = 'unknown';
  #start: Start | undefined;
  /** The start or the end under way. */
  #work: { stop: AbortController; done: Promise<unknown> } | undefined;
  readonly #closing = sharedAbort();
  #restUntilMs = -Infinity;
  #restMs = REST_MS;

  /** Without `find`, the APKs of the optional package are installed. */
  constructor(phone: ReachedPhone, find = findApks) {
    this.#phone = phone;
    this.#findApks = find;
  }

  /** Whether it may be on the phone and run now; when it may not, it ends. */
  allow(isAllowed: boolean): void {
    if (isAllowed) this.#isAllowed = !this.#closing.signal.aborted;
    else void this.release();
  }

  /** Whether it may run now. */
  get isAllowed(): boolean {
    return this.#isAllowed;
  }

  /** Whether a source can be read. */
  get isRunning(): boolean {
    return this.#start !== undefined;
  }

  /** Whether it is on the phone. */
  get isInstalled(): boolean {
    return this.#package === 'installed';
  }

  /**
   * Starts the server where it is allowed and installed; begins to install it where it is not installed yet. Returns whether it runs. While it
   * starts, the phone can make no dump.
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

  /** The source of the screen. Throws when the server is lost, and then has ended. */
  async source(signal: AbortSignal): Promise<string> {
    const start = this.#start;
    if (start === undefined) throw new Error('the UiAutomator2 server does not run');
    try {
      const limits = { timeoutMs: SOURCE_MS, maxBytes: this.#phone.limits.treeMaxBytes };
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
      // On a link of its own: the files would hold up every command.
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

  /** Runs work that ends with `signal`, with a release and after START_MS; it returns when the work has ended, and what it had begun. */
  async #during(signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const onTimeout = (): Error => new NotStarted('it does not come up in time', { isLoss: true });
    const limit = { clock: this.#phone.clock, timeoutMs: START_MS, signals: [signal, stop.signal], onTimeout };
    const limited = new Limited(limit);
    const running = work(limited.signal);
    const entry = { stop, done: running.catch(() => undefined) };
    this.#work = entry;
    try {
      await running;
    } finally {
      limited.end();
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
        // Before it is started, a server that runs is another client's.
        if (am === 'runs' && link.usable) await this.#force(link);
        over.abort(new Error('the UiAutomator2 server is not started'));
        link.close();
      }
    }
  }

  /** Ends a server that an earlier process of ours left. Throws NotStarted when it is another client's, or the display is off, which it would turn on. */
  async #clearWay(link: PhoneLink, client: Uia2Client, signal: AbortSignal): Promise<void> {
    const options = { timeoutMs: COMMAND_MS, maxBytes: COMMAND_MAX_BYTES, signal, doing: 'report its display' };
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
        // Only while its own `am` runs is it surely this start that is ended.
        if (!hasEnded() && link.usable) await this.#force(link);
      }
      link.close();
    };
    const work = { stop: new AbortController(), done: end() };
    this.#work = work;
    await work.done;
    if (this.#work === work) this.#work = undefined;
  }

  /** Ends the server's process. */
  async #force(link: PhoneLink): Promise<void> {
    const options = { timeoutMs: COMMAND_MS, maxBytes: COMMAND_MAX_BYTES, doing: 'end the UiAutomator2 server' };
    await link.exec(`am force-stop ${UIA2_PACKAGE}`, options).catch(() => undefined);
  }

  #rest(lastedMs: number): void {
    if (lastedMs >= STEADY_MS) this.#restMs = REST_MS;
    this.#restUntilMs = this.#phone.clock.monotonicMs() + this.#restMs;
    this.#restMs = Math.min(REST_MOST_MS, this.#restMs * 2);
  }
}
