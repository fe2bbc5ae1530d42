import type { Clock, Timer } from '../../kit/async/clock.js';
import { CommandError } from '../values/command-error.js';

/** MongoDB's timeout for an unused cursor. */
const IDLE_CURSOR_MS = 10 * 60 * 1_000;

/** Each open cursor holds a snapshot, and LMDB has room for a limited number of those (see Store). */
const MAX_CURSORS = 512;

/** The number of documents in the first batch when the client does not set it. MongoDB has the same. */
export const FIRST_BATCH = 101;

/** MongoDB's limit for the documents of one reply, in bytes. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

/** Documents still to be sent. `close` ends the snapshot they come from. */
export interface Results {
  readonly namespace: string;
  readonly documents: Iterator<Uint8Array>;
  close(): void;
}

export interface Batch {
  /** 0 when no documents are left. The results are closed then. */
  readonly cursorId: number;
  readonly documents: readonly Uint8Array[];
}

interface Cursor {
  readonly results: Results;
  /** A document that was read from the results but not sent with the last batch. The next batch begins with it. */
  held: Uint8Array | undefined;
  timer: Timer;
}

/** Results that did not fit one reply, each with a cursor. The client requests more by the cursor's id. A cursor reads one snapshot. */
export class CursorTable {
  readonly #clock: Clock;
  readonly #cursors = new Map<number, Cursor>();
  #nextId: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    // Ids begin with the time, so that an id from before a restart does not name another client's cursor.
    this.#nextId = clock.now() * 1_000;
  }

  get size(): number {
    return this.#cursors.size;
  }

  /**
   * Takes the first batch, and keeps the rest for later.
   *
   * @param single whether to forget the rest
   */
  open(results: Results, batchSize: number, single = false): Batch {
    try {
      const { documents, held, ended } = take(results.documents, undefined, batchSize);
      if (ended || single) {
        results.close();
        return { cursorId: 0, documents };
      }
      if (this.#cursors.size >= MAX_CURSORS)
        throw new CommandError('TooManyCursors', `there are ${MAX_CURSORS} open cursors already`);
      const cursorId = this.#nextId++;
      this.#cursors.set(cursorId, { results, held, timer: this.#expiry(cursorId) });
      return { cursorId, documents };
    } catch (error) {
      results.close();
      throw error;
    }
  }

  /** @param batchSize 0 for as many as fit */
  next(cursorId: number, namespace: string, batchSize: number): Batch {
    const cursor = this.#cursors.get(cursorId);
    if (cursor?.results.namespace !== namespace)
      throw new CommandError('CursorNotFound', `cursor id ${cursorId} not found`);
    cursor.timer.cancel();
    try {
      const { documents, held, ended } = take(cursor.results.documents, cursor.held, batchSize || Infinity);
      cursor.held = held;
      cursor.timer = this.#expiry(cursorId);
      if (ended) this.kill(cursorId);
      return { cursorId: ended ? 0 : cursorId, documents };
    } catch (error) {
      this.kill(cursorId);
      throw error;
    }
  }

  /** Returns whether there was such a cursor. */
  kill(cursorId: number): boolean {
    const cursor = this.#cursors.get(cursorId);
    if (cursor === undefined) return false;
    this.#cursors.delete(cursorId);
    cursor.timer.cancel();
    cursor.results.close();
    return true;
  }

  close(): void {
    for (const cursorId of [...this.#cursors.keys()]) this.kill(cursorId);
  }

  #expiry(cursorId: number): Timer {
    return this.#clock.after(IDLE_CURSOR_MS, () => this.kill(cursorId));
  }
}

/** Takes up to `count` documents or 16 MiB, but at least one if `count` is not 0. Reads one more, so that the end is reported at once. */
function take(
  source: Iterator<Uint8Array>,
  first: Uint8Array | undefined,
  count: number,
): { documents: Uint8Array[]; held: Uint8Array | undefined; ended: boolean } {
  const documents: Uint8Array[] = [];
  let bytes = 0;
  for (let next = first ?? pull(source); ; next = pull(source)) {
    if (next === undefined) return { documents, held: undefined, ended: true };
    const full = documents.length >= count || (documents.length > 0 && bytes + next.length > MAX_BATCH_BYTES);
    if (full) return { documents, held: next, ended: false };
    documents.push(next);
    bytes += next.length;
  }
}

function pull(source: Iterator<Uint8Array>): Uint8Array | undefined {
  const next = source.next();
  return next.done === true ? undefined : next.value;
}
