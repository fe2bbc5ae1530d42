import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { KeyDocument, KeyStore } from '../store/keys.js';
import type { SessionDocument, SessionStore } from '../store/sessions.js';
import type { ShareDocument, ShareStore } from '../store/shares.js';
import { sessionEnd } from './session-end.js';

/** The last use of a key or share is written at most this often, ms: the shown time is good to the minute. */
const KEY_EVERY_MS = 60_000;
/** A session's, ms: it only has to outlast 30 days. */
const SESSION_EVERY_MS = 3_600_000;

interface LastUseParts {
  keys: KeyStore;
  sessions: SessionStore;
  shares: ShareStore;
  clock: Clock;
  log: Log;
}

/** Notes when keys, sessions and shares were last used, beside the requests and not in their way; a note that fails is only logged. */
export class LastUse {
  readonly #options: LastUseParts;
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: LastUseParts) {
    this.#options = options;
  }

  ofKey({ _id, lastUsedAt }: KeyDocument): void {
    const { keys, clock } = this.#options;
    if (!isDue(lastUsedAt, clock, KEY_EVERY_MS)) return;
    this.#write(_id, () => keys.touch(_id, new Date(clock.now())));
  }

  ofSession({ _id, id, createdAt, usedAt }: SessionDocument): void {
    const { sessions, clock } = this.#options;
    if (!isDue(usedAt, clock, SESSION_EVERY_MS)) return;
    const now = new Date(clock.now());
    this.#write(id, () => sessions.touch(_id, now, sessionEnd(createdAt, now)));
  }

  ofShare({ _id, lastUsedAt }: ShareDocument): void {
    const { shares, clock } = this.#options;
    if (!isDue(lastUsedAt, clock, KEY_EVERY_MS)) return;
    this.#write(_id, () => shares.touch(_id, new Date(clock.now())));
  }

  /** Waits for the write under way. */
  async close(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  #write(id: string, touch: () => Promise<void>): void {
    if (this.#writing.has(id)) return;
    const written = touch()
      .catch((error: unknown) => this.#options.log.warn({ id, err: error }, 'could not note a last use'))
      .finally(() => this.#writing.delete(id));
    this.#writing.set(id, written);
  }
}

function isDue(last: Date | undefined, clock: Clock, everyMs: number): boolean {
  return last === undefined || clock.now() - last.getTime() >= everyMs;
}
