import type { AdbSocket } from '@yume-chan/adb';
import type { Clock } from '../../../kit/async/clock.js';
import { BadResponse, type PhoneRequest, requestOnPhone } from './phone-http.js';

/** The capability by which sessions of this service are known. */
const OWNER = 'cloudphone:owner';

/**
 * The server's settings. It does not wait for idle, as pictures show whether the screen rests. It takes no wake lock, and does not end when
 * the charger is unplugged, so that the phone behaves as without the server.
 */
const SETTINGS = {
  waitForIdleTimeout: 0,
  waitForSelectorTimeout: 0,
  enableMultiWindows: false,
  ignoreUnimportantViews: false,
  allowInvisibleElements: false,
  snapshotMaxDepth: 200,
  // With this, bounds are as in a dump, and the server makes no calls for the window and the parents of each node.
  simpleBoundsCalculation: true,
  shutdownOnPowerDisconnect: false,
  wakeLockTimeout: 0,
};

const SHORT_MS = 2_000;
const SHORT_BYTES = 256 * 1024;

type Open = (signal: AbortSignal) => Promise<AdbSocket>;

/**
 * Speaks to the UiAutomator2 server of a phone. Throws BadResponse for any response but the expected one, and passes on what `open` throws.
 */
export class Uia2Client {
  readonly #clock: Clock;
  readonly #open: Open;

  constructor(clock: Clock, open: Open) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Whether the server responds. */
  async isReady(signal: AbortSignal): Promise<boolean> {
    return this.#call({ method: 'GET', path: '/status' }, signal).then(
      () => true,
      () => false,
    );
  }

  /**
   * Returns the ids of the sessions that this service began before. Undefined when no session is open, or when another client has one open.
   */
  async ownSessions(owner: string, signal: AbortSignal): Promise<string[] | undefined> {
    const sessions = await this.#call({ method: 'GET', path: '/sessions' }, signal);
    if (!Array.isArray(sessions) || sessions.length === 0) return undefined;
    const own = sessions.flatMap((session: unknown) => {
      const { id, capabilities } = objectOf(session);
      return objectOf(capabilities)[OWNER] === owner && typeof id === 'string' && isId(id) ? [id] : [];
    });
    return own.length === sessions.length ? own : undefined;
  }

  /** Begins a session and returns its id. */
  async begin(owner: string, signal: AbortSignal): Promise<string> {
    const capabilities = { firstMatch: [{}], alwaysMatch: { [OWNER]: owner } };
    const begun = await this.#call({ method: 'POST', path: '/session', body: { capabilities } }, signal);
    const id = typeof begun === 'string' ? begun : objectOf(begun)['sessionId'];
    if (typeof id !== 'string' || !isId(id)) throw new BadResponse('a session without an id');
    await this.#call({ method: 'POST', path: `/session/${id}/appium/settings`, body: { settings: SETTINGS } }, signal);
    return id;
  }

  async source(id: string, limits: { timeoutMs: number; maxBytes: number }, signal: AbortSignal): Promise<string> {
    const value = await this.#call({ method: 'GET', path: `/session/${id}/source`, ...limits }, signal);
    if (typeof value !== 'string') throw new BadResponse('a source that is no text');
    return value;
  }

  /** Ends the session, and with it the server; one that has ended is no error. */
  async end(id: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/session/${id}` }).catch(() => undefined);
  }

  async #call(
    request: Pick<PhoneRequest, 'method' | 'path' | 'body'> & Partial<PhoneRequest>,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const limits = { timeoutMs: SHORT_MS, maxBytes: SHORT_BYTES };
    const { status, body } = await requestOnPhone(this.#clock, this.#open, { ...limits, ...request, signal });
    if (status !== 200) throw new BadResponse(`status ${status}`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(body.toString('utf8'));
    } catch (error) {
      throw new BadResponse('a body that is no JSON', { cause: error });
    }
    const { value, sessionId } = objectOf(parsed);
    return request.path === '/session' && objectOf(value)['sessionId'] === undefined ? sessionId : value;
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Whether an id can be a part of a path without encoding. */
function isId(id: string): boolean {
  return /^[\w-]{1,100}$/.test(id);
}
