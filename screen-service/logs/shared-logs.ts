import { type LocatedPhone, reachPhone, type ReachParts } from '../link/reached-phone.js';
import type { LogTags } from './log-tags.js';
import { SharedLog } from './shared-log.js';

/** The log of each phone that is followed or watched; everyone who asks for the same start of a phone gets the same one. */
export class SharedLogs {
  readonly #parts: ReachParts;
  readonly #tags: LogTags;
  readonly #logs = new Map<string, SharedLog>();

  /** `tags`: what watchers get. */
  constructor(parts: ReachParts, tags: LogTags) {
    // A watcher connects again and again. Whether a phone can be reached is reported by the callers that need it.
    this.#parts = { ...parts, report: () => undefined };
    this.#tags = tags;
  }

  /** Returns the log of a phone. Its user must begin at once, as a log that nobody reads any more is forgotten. */
  of(phone: LocatedPhone): SharedLog {
    const { phoneId, generation, identity, host, port } = phone;
    const key = `${phoneId} ${generation} ${identity} ${host} ${port}`;
    const known = this.#logs.get(key);
    if (known !== undefined) return known;
    const onIdle = (): void => void this.#logs.delete(key);
    const log = new SharedLog(reachPhone(phone, this.#parts), this.#tags, onIdle);
    this.#logs.set(key, log);
    return log;
  }

  /** Ends the reading of all logs. */
  async close(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.close()));
  }
}
