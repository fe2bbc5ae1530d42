import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { ORPHAN_GRACE_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import type { SnapshotDocument } from '../store/snapshots.js';
import { removeFiles, removeSnapshot, type RemoveSnapshotParts } from './delete-snapshot.js';

export interface SweepSnapshotsParts extends RemoveSnapshotParts {
  devices: DeviceStore;
  hostId: string;
  clock: Clock;
  log: Log;
}

/**
 * Ends the work on this host's snapshots that a crash, or another host, left: those being deleted are removed, those whose job is over
 * without having saved them have failed. Files of failed ones, and files without a document (of a database that was restored from a
 * backup), go after the same grace time as phones without a device, and never where no device of the host is known.
 */
export class SnapshotSweep {
  readonly #parts: SweepSnapshotsParts;
  /** When files of no use were first seen. */
  readonly #sinceMs = new Map<string, number>();

  constructor(parts: SweepSnapshotsParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { snapshots, drivers, hostId, log } = this.#parts;
    for (const snapshot of await snapshots.findOpenOfHost(hostId)) {
      await this.#end(snapshot, signal).catch((error: unknown) =>
        log.warn(
          { snapshot: snapshot._id, err: error },
          'could not end what was left of a snapshot; trying again later',
        ),
      );
    }
    for (const { kind } of drivers.all) await this.#removeUseless(kind);
  }

  async #end(snapshot: SnapshotDocument, signal: AbortSignal): Promise<void> {
    const { snapshots, devices } = this.#parts;
    if (snapshot.state === 'deleting') {
      if ((await devices.findBySnapshot(snapshot._id)) === null) await removeSnapshot(this.#parts, snapshot);
      else await snapshots.keep(snapshot._id);
    } else if ((await devices.findById(snapshot.phoneId))?.job?.id !== snapshot.jobId) {
      await snapshots.fail(snapshot._id);
      await removeFiles(this.#parts, snapshot, signal);
    }
  }

  async #removeUseless(kind: string): Promise<void> {
    const { snapshots, devices, drivers, hostId, clock, log } = this.#parts;
    const files = drivers.of({ driver: kind }).snapshots;
    const ids = (await files?.list()) ?? [];
    // Read after the files were listed: a document is there before its files.
    const found = await snapshots.findByIds(ids);
    const used = new Set(found.filter(({ state }) => state !== 'failed').map(({ _id }) => _id));
    const useless = ids.filter((id) => !used.has(id));
    for (const id of this.#sinceMs.keys()) if (!useless.includes(id)) this.#sinceMs.delete(id);
    if (files === undefined || useless.length === 0 || (await devices.ofHost(hostId).count()) === 0) return;
    for (const id of useless) {
      const sinceMs = this.#sinceMs.get(id) ?? clock.now();
      this.#sinceMs.set(id, sinceMs);
      if (clock.now() - sinceMs < ORPHAN_GRACE_MS) continue;
      log.warn({ snapshot: id }, 'removing the files of a snapshot that failed, or has no document');
      await files.delete(id);
    }
  }
}
