import type { Clock } from '../../kit/async/clock.js';
import { FixedWindows } from '../../kit/async/fixed-windows.js';
import type { Log } from '../../kit/log/log.js';
import type { Session } from '../connection/session.js';
import { LINES_WINDOW_MS, type RelayLimits } from '../limits.js';
import type { Rule } from '../policy/rule.js';
import { ConnectionTally } from './connection-tally.js';

/** What the lines of one kind have in common. There are few kinds, whatever clients do. */
export interface LineKind {
  /** The word for the audit log. Absent: the line is not for it. */
  audit?: 'adb.login' | 'adb.refused' | 'adb.closed';
  rule?: Rule;
  message: string;
}

interface RelayLinesParts {
  clock: Clock;
  log: Log;
  limits: Pick<RelayLimits, 'maxLines'>;
}

/**
 * Logs what logged-in clients of one relay do. A client may connect, log in, be refused and leave thousands of times a minute. So of each kind
 * `maxLines` lines are written in a minute. The others are counted, and one line at the end of the minute has their number.
 */
export class RelayLines {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #maxLines: number;
  readonly #windows: FixedWindows;
  readonly #kinds = new Map<string, LineKind>();
  #more = new ConnectionTally<string>();
  /** When the numbers are logged, by the monotonic clock. Undefined: there are none. */
  #dueMs: number | undefined;

  constructor({ clock, log, limits }: RelayLinesParts) {
    this.#clock = clock;
    this.#log = log;
    this.#maxLines = limits.maxLines;
    this.#windows = new FixedWindows({ clock, windowMs: LINES_WINDOW_MS });
  }

  write(kind: LineKind, session: Pick<Session, 'id' | 'address'>, fields: object = {}): void {
    const { message, ...words } = kind;
    const key = `${message} ${kind.rule ?? ''}`;
    if (this.#windows.count(key).count <= this.#maxLines) {
      this.#log.info({ ...words, session: session.id, ...fields }, message);
      return;
    }
    this.#kinds.set(key, kind);
    this.#more.add(key, session.address);
    this.#dueMs ??= this.#clock.monotonicMs() + LINES_WINDOW_MS;
  }

  /** Logs the numbers of the lines that were not written, once their minute is over. */
  report(): void {
    if (this.#dueMs !== undefined && this.#dueMs <= this.#clock.monotonicMs()) this.end();
  }

  /** Logs these numbers at once, as the relay ends. */
  end(): void {
    this.#dueMs = undefined;
    for (const [key, tally] of this.#more.take()) {
      const { message = '', ...words } = this.#kinds.get(key) ?? {};
      this.#log.info({ ...words, ...tally }, message);
    }
  }
}
