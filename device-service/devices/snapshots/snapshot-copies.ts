import type { Clock } from '../../../kit/async/clock.js';
import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { KeyedLock } from '../../../kit/async/keyed-lock.js';
import { Cancellation, within } from '../../../kit/async/within.js';
import type { Log } from '../../../kit/log/log.js';
import { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import { type PhoneDriver, PhoneFailure } from '../../../phone/driver.js';
import { RESERVE_DISK_MB } from '../../../phone/files/measure-capacity.js';
import type { SnapshotDocument, SnapshotStore } from '../../store/snapshots.js';
import { JobFailure } from '../jobs/job-failure.js';
import { COPY_RETRY_MS, MAX_COPIES_A_ROUND, MAX_OBJECT_MS, OBJECT_CALL_MS } from '../limits.js';
import { hostLimit } from '../phones/host-limit.js';
import type { Pace } from '../moves/pace.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { ObjectStore } from './object-store.js';

/** An archive is somewhat larger than the files in it. */
const MAX_ARCHIVE_FACTOR = 1.5;
const MIB = 1024 * 1024;
const MAX_ARCHIVE_EXTRA_BYTES = 64 * MIB;

/**
 * Copies of this host's snapshots in an object store (SNAPSHOT_STORE), which outlive the host. Each ready snapshot is copied once, in the
 * background. A host that is to restore or clone a snapshot and has no files of it gets the copy first.
 *
 * The record notes that a copy begins before the first byte is sent, and is marked for deletion before files and object are removed. So an
 * object always has a record that names it, whatever process is killed. A copy that a killed process began is made again, over the object
 * of that name.
 */
export class SnapshotCopies {
  /** Requests a run of `run` before its time. */
  readonly wakeup = new Wakeup();
  readonly #store: ObjectStore | undefined;
  readonly #snapshots: SnapshotStore;
  readonly #drivers: PhoneDrivers;
  readonly #hostId: string;
  /** Locks by arrival, so that nothing removes what is being unpacked. */
  readonly #receiving: KeyedLock;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #log: Log;
  /** When a snapshot whose copy failed is tried again, by id. */
  readonly #againMs = new Map<string, number>();
  /** The copy that is being made. */
  #current: { id: string; cancellation: Cancellation; ended: Promise<unknown> } | undefined;

  /** `store` undefined: there is none, and nothing is copied. */
  constructor(
    store: ObjectStore | undefined,
    {
      snapshots,
      drivers,
      hostId,
      receiving,
      pace,
      clock,
      log,
    }: {
      snapshots: SnapshotStore;
      drivers: PhoneDrivers;
      hostId: string;
      receiving: KeyedLock;
      pace: Pace;
      clock: Clock;
      log: Log;
    },
  ) {
    this.#store = store;
    this.#snapshots = snapshots;
    this.#drivers = drivers;
    this.#hostId = hostId;
    this.#receiving = receiving;
    this.#pace = pace;
    this.#clock = clock;
    this.#log = log;
  }

  /** Returns how many ready snapshots of this host have no copy yet. Undefined: there is no store. */
  async countDue(): Promise<number | undefined> {
    return this.#store && (await this.#snapshots.countWithoutCopy(this.#hostId, this.#kinds));
  }

  /** Copies snapshots that have no copy, one after the other, oldest first. One that fails is logged, and tried again later. */
  async run(signal: AbortSignal): Promise<void> {
    const store = this.#store;
    if (store === undefined) return;
    const resting = new Set(this.#resting());
    const limit = MAX_COPIES_A_ROUND + resting.size;
    const found = await this.#snapshots.findWithoutCopy(this.#hostId, this.#kinds, limit);
    const due = found.filter(({ _id }) => !resting.has(_id));
    for (const snapshot of due) {
      const cancellation = new Cancellation([signal]);
      const ended = begunAhead(this.#copy(store, snapshot, cancellation.signal));
      this.#current = { id: snapshot._id, cancellation, ended };
      try {
        await ended;
      } catch (error) {
        signal.throwIfAborted();
        if (cancellation.signal.aborted) continue;
        this.#againMs.set(snapshot._id, this.#clock.monotonicMs() + COPY_RETRY_MS);
        this.#log.warn(
          { snapshot: snapshot._id, err: error },
          'could not copy a snapshot to SNAPSHOT_STORE; trying again later',
        );
      } finally {
        cancellation.end();
        this.#current = undefined;
      }
    }
  }

  /** Gets the files of a snapshot that this host does not have. Does nothing where it has them, or where there is no copy. */
  async fetch({ _id, copy }: SnapshotDocument, driver: PhoneDriver, signal: AbortSignal): Promise<void> {
    const { moves, snapshots: files } = driver;
    if (this.#store === undefined || copy === undefined || moves === undefined || files === undefined) return;
    if ((await files.list()).includes(_id)) return;
    const store = this.#store;
    await this.#receiving.run(_id, async () => {
      signal.throwIfAborted();
      // Another job may have fetched it while this one waited.
      if ((await files.list()).includes(_id)) return;
      const { freeDiskMb } = await driver.capacity();
      if (freeDiskMb < copy.sizeBytes / MIB + RESERVE_DISK_MB)
        throw new PhoneFailure('There is too little room on the disk of the host for the files of the snapshot.');
      const content = await store.get(objectOf(_id), signal);
      if (content === undefined) throw gone(_id, 'is not in SNAPSHOT_STORE any more');
      const maxBytes = copy.sizeBytes * MAX_ARCHIVE_FACTOR + MAX_ARCHIVE_EXTRA_BYTES;
      const checksum = await moves.unpack(_id, bounded(content, maxBytes), { signal });
      if (checksum === copy.checksum) return moves.arrive(_id);
      await moves.discard(_id);
      throw gone(_id, 'is damaged in SNAPSHOT_STORE');
    });
  }

  /** Ends the copy of a snapshot that is being made. When it returns, no byte is on its way to the store. */
  async stop(id: string): Promise<void> {
    if (this.#current?.id !== id) return;
    const { cancellation, ended } = this.#current;
    cancellation.abort();
    await ended.catch(() => undefined); // the copy's own failure is logged where it was begun
  }

  /**
   * Removes the copy of a snapshot that is marked for deletion. Returns false, after a line in the log, where the store does not respond; the
   * copy is then still to be removed.
   */
  async remove(id: string, outer: AbortSignal): Promise<boolean> {
    const store = this.#store;
    if (store === undefined) {
      this.#log.warn(
        { snapshot: id, object: objectOf(id) },
        'the copy of a deleted snapshot stays, as SNAPSHOT_STORE is not set',
      );
      return true;
    }
    try {
      await within(hostLimit(this.#clock, OBJECT_CALL_MS, outer), (signal) => store.delete(objectOf(id), signal));
      return true;
    } catch (error) {
      outer.throwIfAborted();
      this.#log.warn({ snapshot: id, err: error }, 'could not remove a copy from SNAPSHOT_STORE; trying again later');
      return false;
    }
  }

  /** The kinds of phones whose snapshots are files of their host. */
  get #kinds(): string[] {
    return this.#drivers.all.filter(({ moves }) => moves !== undefined).map(({ kind }) => kind);
  }

  /** Yields the ids of snapshots whose time to be tried again has not come. */
  *#resting(): Iterable<string> {
    for (const [id, againMs] of this.#againMs) {
      if (againMs > this.#clock.monotonicMs()) yield id;
      else this.#againMs.delete(id);
    }
  }

  async #copy(store: ObjectStore, { _id, driver }: SnapshotDocument, outer: AbortSignal): Promise<void> {
    const { moves } = this.#drivers.of({ driver });
    if (moves === undefined || !(await this.#snapshots.beginCopy(_id))) return;
    const name = objectOf(_id);
    let putting: Promise<void> | undefined;
    try {
      await within(hostLimit(this.#clock, MAX_OBJECT_MS, outer), async (signal) => {
        const { sizeBytes, checksum } = await moves.describe({ snapshotIds: [_id] }, { signal });
        let sentBytes = 0;
        const content = this.#pace.through(
          moves.pack({ snapshotIds: [_id] }, { signal }),
          signal,
          (bytes) => (sentBytes = bytes),
        );
        putting = begunAhead(store.put(name, content, signal));
        await putting;
        // Compressed file systems have fewer bytes of a file than its archive.
        const isNoted = await this.#snapshots.copied(_id, { sizeBytes: Math.max(sizeBytes, sentBytes), checksum });
        // The snapshot moved with its phone while it was copied, and was deleted at its new host.
        if (!isNoted && (await this.#snapshots.find(_id)) === null) await store.delete(name, signal);
      });
    } finally {
      await putting?.catch(() => undefined); // it was thrown above, or the copy was ended
    }
  }
}

function objectOf(snapshotId: string): string {
  return `${snapshotId}.tar`;
}

/** Yields the pieces. Throws once they are more than was sent to the store. */
async function* bounded(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of content) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error('the object of a snapshot is larger than what was copied');
    yield piece;
  }
}

function gone(snapshotId: string, why: string): JobFailure {
  return new JobFailure({
    error: 'unavailable',
    message: `The snapshot "${snapshotId}" is not on its host, and its copy ${why}. Delete the snapshot.`,
  });
}
