import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { Clock } from '../async/clock.js';
import { databaseUnavailable } from '../errors/database-unavailable.js';
import { ApiError } from '../errors/api-error.js';
import type { Log } from '../log/log.js';
import { newEntry } from './new-entry.js';

/** An entry that is to be made and kept. */
export interface QueuedEntry {
  phoneId: string;
  /** Memory that it holds until it is made, such as pixels. */
  heldBytes: number;
  /** Makes the entry; called once, when its turn comes. */
  make: () => NewTimelineEntry | Promise<NewTimelineEntry>;
}

export interface TimelineQueueParts {
  clock: Clock;
  log: Log;
  /** Keeps entries; may be called again with the same ones. */
  send: (entries: NewTimelineEntry[], timeoutMs: number) => Promise<unknown>;
  /** Limits that differ from TIMELINE_QUEUE. */
  limits?: Partial<typeof TIMELINE_QUEUE>;
}

export const TIMELINE_QUEUE = {
  /**
   * Most entries that wait to be made, and most bytes that they hold. A picture of a screen takes 3 to 10 MB, and an entry has two
   * pictures.
   */
  maxWaiting: 1_000,
  maxHeldBytes: 96 * 1024 * 1024,
  /** Most bytes of made entries that wait for the database. With pictures, that is a few hundred entries. */
  maxMadeBytes: 16 * 1024 * 1024,
  /** Entries and bytes of one call. */
  maxBatch: 50,
  batchBytes: 1024 * 1024,
  sendMs: 10_000,
  /** Pause after a failed call, ms. The pause doubles with each further failure, up to `maxRetryMs`. */
  retryFirstMs: 500,
  maxRetryMs: 10_000,
  /** How long waiting entries may still be sent when the service ends, ms. */
  closeMs: 1_500,
};

/** The estimated size of an entry without its texts and pictures, bytes. */
const ENTRY_BYTES = 300;

/**
 * Keeps timeline entries without delaying the calls that they describe. `add` returns at once and never throws. If there is no room, the
 * entry is dropped and counted. The next kept entry of that phone is preceded by an entry of kind `missed` with the count. Entries are made
 * one after the other, so their pictures take at most one processor. Made entries are sent in batches. While the database is away, the
 * queue waits.
 */
export class TimelineQueue {
  readonly #parts: TimelineQueueParts;
  readonly #limits: typeof TIMELINE_QUEUE;
  readonly #waiting: QueuedEntry[] = [];
  #heldBytes = 0;
  readonly #made: { entry: NewTimelineEntry; bytes: number }[] = [];
  #madeBytes = 0;
  /** How many entries of a phone were not kept, and since when. */
  readonly #missed = new Map<string, { count: number; sinceMs: number }>();
  #making: Promise<void> | undefined;
  #sending: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(parts: TimelineQueueParts) {
    this.#parts = parts;
    this.#limits = { ...TIMELINE_QUEUE, ...parts.limits };
  }

  add(entry: QueuedEntry): void {
    const { maxWaiting, maxHeldBytes } = this.#limits;
    const hasRoom = this.#waiting.length < maxWaiting && this.#heldBytes + entry.heldBytes <= maxHeldBytes;
    if (!hasRoom || this.#closing.signal.aborted) {
      this.#miss(entry.phoneId);
      return;
    }
    this.#waiting.push(entry);
    this.#heldBytes += entry.heldBytes;
    this.#making ??= this.#makeAll()
      .finally(() => (this.#making = undefined))
      .catch(this.#onFault);
  }

  /** Sends waiting entries for at most `closeMs`. The rest is lost. */
  async close(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#closing;
    const timer = clock.after(this.#limits.closeMs, () => this.#closing.abort(new Error('closing')));
    const limit = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([this.#idle(), limit]);
    timer.cancel();
    this.#closing.abort(new Error('closing'));
    const lost = this.#waiting.length + this.#made.length;
    if (lost > 0) log.warn({ lost }, 'entries of timelines could not be kept before the end');
  }

  async #idle(): Promise<void> {
    while (this.#making !== undefined || this.#sending !== undefined) await (this.#making ?? this.#sending);
  }

  async #makeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        // The entry is made in a later turn than the call that added it.
        await new Promise((resolve) => setImmediate(resolve));
        this.#keep(await next.make());
      } catch (error) {
        this.#parts.log.error({ err: error }, 'an entry of a timeline could not be made');
        this.#miss(next.phoneId);
      }
      this.#heldBytes -= next.heldBytes;
    }
  }

  #keep(entry: NewTimelineEntry): void {
    const bytes = bytesOf(entry);
    if (this.#madeBytes + bytes > this.#limits.maxMadeBytes) {
      this.#miss(entry.phoneId);
      return;
    }
    const missed = this.#missed.get(entry.phoneId);
    if (missed !== undefined) {
      this.#missed.delete(entry.phoneId);
      this.#push(missedEntry(entry.phoneId, missed));
    }
    this.#push(entry);
    this.#sending ??= this.#sendAll()
      .finally(() => (this.#sending = undefined))
      .catch(this.#onFault);
  }

  readonly #onFault = (error: unknown): void =>
    this.#parts.log.error({ err: error }, 'entries of timelines wait for the next one');

  #push(entry: NewTimelineEntry): void {
    const bytes = bytesOf(entry);
    this.#made.push({ entry, bytes });
    this.#madeBytes += bytes;
  }

  async #sendAll(): Promise<void> {
    const { clock, log, send } = this.#parts;
    let pauseMs = this.#limits.retryFirstMs;
    while (this.#made.length > 0 && !this.#closing.signal.aborted) {
      const batch = this.#nextBatch();
      const entries = batch.map(({ entry }) => entry);
      let isRefused = false;
      try {
        await send(entries, this.#limits.sendMs);
        pauseMs = this.#limits.retryFirstMs;
      } catch (error) {
        isRefused = !isAway(error);
        log[isRefused ? 'error' : 'warn'](
          { err: error, entries: entries.length },
          'could not keep entries of timelines',
        );
        if (!isRefused) {
          await clock.sleep(pauseMs, this.#closing.signal).catch(() => undefined);
          pauseMs = Math.min(pauseMs * 2, this.#limits.maxRetryMs);
          continue;
        }
      }
      this.#made.splice(0, batch.length);
      for (const { entry, bytes } of batch) {
        this.#madeBytes -= bytes;
        if (isRefused) this.#miss(entry.phoneId, countOf(entry));
      }
    }
  }

  #nextBatch(): { entry: NewTimelineEntry; bytes: number }[] {
    const { maxBatch, batchBytes } = this.#limits;
    let bytes = 0;
    const end = this.#made.findIndex((made, at) => {
      bytes += made.bytes;
      return at > 0 && (at >= maxBatch || bytes > batchBytes);
    });
    return this.#made.slice(0, end < 0 ? undefined : end);
  }

  #miss(phoneId: string, count = 1): void {
    const missed = this.#missed.get(phoneId) ?? { count: 0, sinceMs: this.#parts.clock.now() };
    missed.count += count;
    this.#missed.set(phoneId, missed);
  }
}

function missedEntry(phoneId: string, { count, sinceMs }: { count: number; sinceMs: number }): NewTimelineEntry {
  return newEntry({ phoneId, atMs: sinceMs, kind: TimelineKind.MISSED, request: { count }, outcome: 'done' });
}

/** Returns the count of a `missed` entry, and 1 for any other entry. */
function countOf({ kind, request }: NewTimelineEntry): number {
  return kind === TimelineKind.MISSED ? (JSON.parse(request) as { count: number }).count : 1;
}

/** Whether the database, or the service in front of it, may take the same entries later. */
function isAway(error: unknown): boolean {
  if (error instanceof ApiError) return error.kind === 'unavailable' || error.kind === 'timeout';
  return databaseUnavailable(error) !== undefined;
}

function bytesOf({ before, after, request, changed = '', message = '' }: NewTimelineEntry): number {
  return ENTRY_BYTES + before.length + after.length + request.length + changed.length + message.length;
}
