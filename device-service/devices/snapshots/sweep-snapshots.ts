import { ORPHAN_GRACE_MS } from '../limits.js';
import type { SnapshotDocument } from '../../store/snapshots.js';
import { isTemplateId } from '../../store/templates.js';
import { removeSavedFiles } from '../phones/remove-saved-files.js';
import { removeSnapshot } from './delete-snapshot.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Completes the work on this host's snapshots that a crash, or another host, left unfinished. Snapshots that are being deleted are removed,
 * or kept where a device still refers to them. Snapshots that their job did not save before it ended are marked as failed.
 *
 * Files of failed snapshots, and files without a document (as after a restore of the database from a backup), are removed after a grace
 * time. It is the same grace time as for phones without a device. Nothing is removed while no device of the host is known.
 */
export class SnapshotSweep {
  readonly #context: DevicesContext;
  /** When each unused file was first seen, by kind of phones. */
  readonly #sinceMs = new Map<string, Map<string, number>>();
  #isStoreAway = false;

  constructor(context: DevicesContext) {
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#isStoreAway = false;
    const { snapshots, drivers, hostId, log } = this.#context;
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
    const { snapshots, devices } = this.#context;
    if (snapshot.state === 'deleting') {
      if ((await devices.findBySnapshot(snapshot._id)) === null) await this.#remove(snapshot, signal);
      else await snapshots.keep(snapshot._id);
    } else if ((await devices.findById(snapshot.phoneId))?.job?.id !== snapshot.jobId) {
      // The job may have saved it, and ended, since it was read.
      await snapshots.fail(snapshot._id, ['saving']);
      if ((await snapshots.find(snapshot._id))?.state === 'failed')
        await removeSavedFiles(this.#context, snapshot, signal);
    }
  }

  /** Removes all of a snapshot. Once the object store has not responded in a run, no other copy is tried in that run. */
  async #remove(snapshot: SnapshotDocument, signal: AbortSignal): Promise<void> {
    const { snapshots, snapshotCopies } = this.#context;
    await removeSnapshot(this.#context, snapshot);
    if (snapshot.copyBegun !== true || this.#isStoreAway) return;
    if (await snapshotCopies.remove(snapshot._id, signal)) await snapshots.forget(snapshot._id);
    else this.#isStoreAway = true;
  }

  async #removeUseless(kind: string): Promise<void> {
    const { snapshots, devices, drivers, hostId, clock, log } = this.#context;
    const files = drivers.of({ driver: kind }).snapshots;
    // Files of templates have a sweep of their own.
    const ids = ((await files?.list()) ?? []).filter((id) => !isTemplateId(id));
    // Documents are read after the files were listed, as a snapshot's document is written before its files.
    const found = await snapshots.findByIds(ids);
    const used = new Set(found.filter(({ state }) => state !== 'failed').map(({ _id }) => _id));
    const useless = ids.filter((id) => !used.has(id));
    const known = this.#sinceMs.get(kind);
    const since = new Map(useless.map((id) => [id, known?.get(id) ?? clock.now()]));
    this.#sinceMs.set(kind, since);
    if (files === undefined || useless.length === 0 || (await devices.ofHost(hostId).count()) === 0) return;
    for (const [id, sinceMs] of since) {
      if (clock.now() - sinceMs < ORPHAN_GRACE_MS) continue;
      log.warn({ snapshot: id }, 'removing the files of a snapshot that failed, or has no document');
      await files.delete(id);
    }
  }
}
