import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { KeyDocument } from '../../store/keys.js';
import type { MemberDocument } from '../../store/members.js';
import type { SessionDocument } from '../../store/sessions.js';
import type { Stores } from '../../store/stores.js';
import type { ShareDocument } from '../../store/shares.js';
import { sessionEnd } from './session-end.js';

/** The last use of a key or share is written at most this often, ms: the shown time is good to the minute. */
const KEY_EVERY_MS = 60_000;
/** The last use of a session is written at most this often, ms. An hour is enough, as a session ends after 30 days without use. */
const SESSION_EVERY_MS = 3_600_000;

/** Notes when keys, sessions, members and shares were last used. Requests do not wait for the note, and a note that fails is only logged. */
export class LastUse {
  readonly #stores: Pick<Stores, 'keys' | 'members' | 'sessions' | 'shares'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #writing = new Map<string, Promise<void>>();

  constructor(stores: Pick<Stores, 'keys' | 'members' | 'sessions' | 'shares'>, clock: Clock, log: Log) {
    this.#stores = stores;
    this.#clock = clock;
    this.#log = log;
  }

  /** `address` is the client's. Undefined: it is not known, and the one that was noted stays. */
  ofKey({ _id, lastUsedAt }: KeyDocument, address: string | undefined): void {
    if (!isDue(lastUsedAt, this.#clock, KEY_EVERY_MS)) return;
    this.#write(_id, () => this.#stores.keys.touch(_id, new Date(this.#clock.now()), address));
  }

  /** Notes the use of a session, and of the account that it is in by its member. */
  ofSession({ _id, id, createdAt, usedAt }: SessionDocument, member: MemberDocument): void {
    const now = new Date(this.#clock.now());
    if (isDue(member.seenAt, this.#clock, SESSION_EVERY_MS))
      this.#write(member._id, () => this.#stores.members.touch(member._id, now));
    if (!isDue(usedAt, this.#clock, SESSION_EVERY_MS)) return;
    this.#write(id, () => this.#stores.sessions.touch(_id, now, sessionEnd(createdAt, now)));
  }

  ofShare({ _id, lastUsedAt }: ShareDocument): void {
    if (!isDue(lastUsedAt, this.#clock, KEY_EVERY_MS)) return;
    this.#write(_id, () => this.#stores.shares.touch(_id, new Date(this.#clock.now())));
  }

  /** Waits for the writes under way. */
  async close(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  #write(id: string, touch: () => Promise<void>): void {
    if (this.#writing.has(id)) return;
    const written = touch()
      .catch((error: unknown) => this.#log.warn({ id, err: error }, 'could not note a last use'))
      .finally(() => this.#writing.delete(id));
    this.#writing.set(id, written);
  }
}

function isDue(last: Date | undefined, clock: Clock, everyMs: number): boolean {
  return last === undefined || clock.now() - last.getTime() >= everyMs;
}
