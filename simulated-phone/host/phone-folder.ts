import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, NoRoom } from '../../phone/files/no-room.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { PhoneSpec, PhoneStatus } from '../../phone/driver.js';
import { INCOMING } from '../files/disk.js';
import type { HostSpace } from '../../kit/files/host-space.js';
import { bytesOf, measureTree } from '../../phone/files/tree-usage.js';
import { type Stored, withoutIdentity } from '../settings/settings-store.js';
import { StateFile } from '../system/state-file.js';
import {
  describeTree,
  firstDifference,
  type Manifest,
  readManifest,
  treeMark,
  writeManifest,
} from '../../phone/files/manifest.js';
import { parsePhoneSpec } from './phone-spec.js';
import { processOf, reasonOf, RunFile, type RunRecord } from './run-record.js';
import { shareTree } from './share-tree.js';

/** The error for a phone that does not exist here, or is damaged: see `status`. */
export class UnusablePhone extends ApiError {
  readonly status: PhoneStatus & { state: 'absent' | 'broken' };

  constructor(phoneId: string, status: PhoneStatus & { state: 'absent' | 'broken' }) {
    if (status.state === 'broken') super('busy', status.problem);
    else super('not_found', `There is no phone ${phoneId} on this host.`);
    this.status = status;
  }
}

/**
 * The folder in which simulated phones are kept:
 * - `phones/<phone id>/phone.json` describes a phone, and `run.json` beside it names the process that runs it.
 * - `phones/<phone id>/state/` is everything inside the phone.
 * - `snapshots/<snapshot id>/state/` is a copy of a phone's `state/`, with its checksums in `manifest.json` beside it.
 *
 * Folders appear and vanish as a whole, by one rename from or to `scratch`, a folder of this process alone. `clean` removes the remains of
 * a crash there.
 */
export class PhoneFolder {
  readonly #phones: string;
  readonly #snapshots: string;
  readonly #scratch: string;
  readonly #hostSpace: HostSpace | undefined;

  /**
   * `scratch` must be on the same file system. No two processes may use the same scratch folder. Without `hostSpace`, new phones and
   * snapshots may take the last room of the disk.
   */
  constructor(directory: string, scratch: string, hostSpace?: HostSpace) {
    this.#hostSpace = hostSpace;
    this.#phones = join(directory, 'phones');
    this.#snapshots = join(directory, 'snapshots');
    this.#scratch = scratch;
  }

  /** Makes the folders, completes restores that a crash interrupted in the last step, and removes other half-done work. */
  async clean(): Promise<void> {
    for (const name of (await readdir(this.#scratch).catch(unlessMissing)) ?? []) {
      const phoneId = name.endsWith(RESTORED) ? name.slice(0, -RESTORED.length) : '';
      if (!ID.test(phoneId) || !(await exists(this.#phonePath(phoneId))) || (await exists(this.statePath(phoneId)))) {
        continue;
      }
      // The old state is removed only when the restored one is whole.
      await rename(join(this.#scratch, name), this.statePath(phoneId));
    }
    await rm(this.#scratch, { recursive: true, force: true });
    for (const folder of [this.#phones, this.#snapshots, this.#scratch]) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
  }

  /** The phone's own directory. */
  statePath(phoneId: string): string {
    return join(this.#phonePath(phoneId), 'state');
  }

  runFile(phoneId: string): RunFile {
    return new RunFile(this.#phonePath(phoneId));
  }

  async create(phone: PhoneSpec): Promise<void> {
    if (await exists(this.#phonePath(phone.phoneId))) return;
    await this.#appear(this.#phonePath(phone.phoneId), async (path) => {
      await mkdir(join(path, 'state', FILES), { recursive: true });
      await writeFile(join(path, 'phone.json'), JSON.stringify(phone));
    });
  }

  /** Reads the description of a phone. Throws UnusablePhone when the phone is not whole. */
  async read(phoneId: string): Promise<PhoneSpec> {
    const path = this.#phonePath(phoneId);
    const text = await readFile(join(path, 'phone.json'), 'utf8').catch(unlessMissing);
    const spec = text === undefined ? undefined : parsePhoneSpec(text, phoneId);
    if (spec !== undefined && (await exists(join(path, 'state', FILES)))) return spec;
    if (!(await exists(path))) throw new UnusablePhone(phoneId, { state: 'absent' });
    const problem =
      spec === undefined
        ? 'The description of the phone is damaged. Delete the device.'
        : "The phone's files are lost. Restore a snapshot, or delete the device.";
    throw new UnusablePhone(phoneId, { state: 'broken', problem });
  }

  /** Returns the status of a phone that no process runs, or the process that runs it. */
  async inspect(phoneId: string): Promise<{ process: number } | { status: PhoneStatus }> {
    let record: RunRecord | undefined;
    try {
      record = await this.runFile(phoneId).read();
      const process = processOf(record);
      if (process !== undefined) return { process };
      await this.read(phoneId);
    } catch (error) {
      if (error instanceof UnusablePhone) return { status: error.status };
      throw error;
    }
    const reason = reasonOf(record);
    return { status: { state: 'stopped', ...(reason !== undefined && { reason }) } };
  }

  /** Returns the room that the phone's files take, bytes; 0 for a phone that does not exist. */
  async usedBytes(phoneId: string): Promise<number> {
    return bytesOf(await measureTree(this.statePath(phoneId)));
  }

  /** Returns what a copy of a phone's folder is to hold, with the state of a snapshot in place of the phone's own. */
  filesAsSaved(phoneId: string, snapshotId: string): { place: string; path: string }[] {
    return [
      { place: 'phone.json', path: join(this.#phonePath(phoneId), 'phone.json') },
      { place: 'state', path: join(this.#snapshotPath(snapshotId), 'state') },
    ];
  }

  /** Returns the ids of the phones that exist. */
  async list(): Promise<string[]> {
    const names = await readdir(this.#phones).catch(unlessMissing);
    return (names ?? []).filter((name) => ID.test(name));
  }

  async change(phone: PhoneSpec): Promise<void> {
    const path = join(this.#phonePath(phone.phoneId), 'phone.json');
    await writeFile(`${path}.new`, JSON.stringify(phone));
    await rename(`${path}.new`, path);
  }

  async delete(phoneId: string): Promise<void> {
    await this.#vanish(this.#phonePath(phoneId));
  }

  /**
   * Saves a phone, and returns the snapshot. A snapshot that exists is kept. Phone and snapshot share their files on the disk until the
   * phone changes them, so a snapshot costs only the changes since the last one.
   */
  async snapshot(phoneId: string, snapshotId: string, running?: RunningPhone): Promise<SavedState> {
    await this.read(phoneId);
    const target = this.#snapshotPath(snapshotId);
    if (!(await exists(target))) {
      const state = this.statePath(phoneId);
      await this.#appear(target, async (path) => {
        const saved = join(path, 'state');
        const share = (open?: ReadonlySet<number>): Promise<void> =>
          shareTree(state, saved, {
            without: [join(FILES, INCOMING)],
            takeRoom: this.#takeRoom,
            ...(open !== undefined && { open }),
          });
        if (running === undefined) await share();
        else await running.still(share, saved);
        const described = await describeTree(saved, { known: await this.#knownInodes(phoneId) });
        await writeManifest(join(path, MANIFEST), described, this.#takeRoom);
      });
      await this.#noteBase(phoneId, snapshotId);
    }
    const manifest = await readManifest(join(target, MANIFEST));
    if (manifest === undefined) throw damaged('its list of checksums');
    return manifest;
  }

  /** Reads all of a snapshot. Throws if it is not as it was saved. */
  async checkSnapshot(snapshotId: string): Promise<void> {
    const path = this.#snapshotPath(snapshotId);
    if (!(await exists(path))) throw lost();
    const saved = await readManifest(join(path, MANIFEST));
    if (saved === undefined) throw damaged('its list of checksums');
    const found = await describeTree(join(path, 'state')).catch(unlessMissing);
    if (found === undefined) throw lost();
    const different = firstDifference(saved, found);
    if (different !== undefined) throw damaged(`the file ${different.slice(0, 200)}`);
  }

  /**
   * Puts a phone back to a snapshot. The present state is removed only when the restored one is whole; until then a failure leaves it
   * unchanged. A crash between the two renames is repaired by `clean`, or by the same restore, done again.
   */
  async restore(phoneId: string, snapshotId: string): Promise<void> {
    if (!(await exists(this.#phonePath(phoneId)))) throw new UnusablePhone(phoneId, { state: 'absent' });
    const fresh = join(this.#scratch, `${plain(phoneId)}${RESTORED}`);
    await rm(fresh, { recursive: true, force: true });
    await withRoom(fresh, async () => shareTree(await this.#snapshotState(snapshotId), fresh));
    await this.#vanish(this.statePath(phoneId));
    await rename(fresh, this.statePath(phoneId));
    await this.#noteBase(phoneId, snapshotId);
  }

  /**
   * Removes from the state of a phone that is off what belongs to another phone alone. Call it after a restore to the snapshot of another
   * phone. After a crash in between, the restore is done again, and then this.
   */
  forgetIdentity(phoneId: string): void {
    forgetIdentity(this.statePath(phoneId));
  }

  async clone(snapshotId: string, phone: PhoneSpec): Promise<void> {
    if (await exists(this.#phonePath(phone.phoneId))) return;
    await this.#appear(this.#phonePath(phone.phoneId), async (path) => {
      await shareTree(await this.#snapshotState(snapshotId), join(path, 'state'), { takeRoom: this.#takeRoom });
      forgetIdentity(join(path, 'state'));
      await writeFile(join(path, 'phone.json'), JSON.stringify(phone));
      await writeFile(join(path, BASE), JSON.stringify({ snapshotId }));
    });
  }

  /** Keeps a snapshot a second time. A copy that exists is kept. Both share their files, which no phone writes into. */
  async copySnapshot(snapshotId: string, copyId: string): Promise<SavedState> {
    const target = this.#snapshotPath(copyId);
    if (!(await exists(target))) {
      const source = this.#snapshotPath(snapshotId);
      await this.#appear(target, async (path) => {
        await shareTree(await this.#snapshotState(snapshotId), join(path, 'state'), { takeRoom: this.#takeRoom });
        const saved = await readManifest(join(source, MANIFEST));
        if (saved === undefined) throw damaged('its list of checksums');
        const described = await describeTree(join(path, 'state'), { known: await inodesIn(source, saved) });
        const different = firstDifference(saved, described);
        if (different !== undefined) throw damaged(`the file ${different.slice(0, 200)}`);
        await writeManifest(join(path, MANIFEST), described, this.#takeRoom);
      });
    }
    const manifest = await readManifest(join(target, MANIFEST));
    if (manifest === undefined) throw damaged('its list of checksums');
    return manifest;
  }

  hasSnapshot(snapshotId: string): Promise<boolean> {
    return exists(this.#snapshotPath(snapshotId));
  }

  async listSnapshots(): Promise<string[]> {
    const names = await readdir(this.#snapshots).catch(unlessMissing);
    return (names ?? []).filter((name) => ID.test(name));
  }

  async deleteSnapshot(snapshotId: string): Promise<void> {
    await this.#vanish(this.#snapshotPath(snapshotId));
  }

  async #snapshotState(snapshotId: string): Promise<string> {
    const path = join(this.#snapshotPath(snapshotId), 'state');
    if (await exists(path)) return path;
    throw lost();
  }

  /**
   * Returns the checksums of the files of the snapshot with which the phone probably has most files in common. A wrong guess only means that
   * more files are read.
   */
  async #knownInodes(phoneId: string): Promise<Manifest['inodes']> {
    const text = await readFile(join(this.#phonePath(phoneId), BASE), 'utf8').catch(unlessMissing);
    const base = text === undefined ? '' : /"snapshotId":"([^"]+)"/.exec(text)?.[1];
    if (base === undefined || !ID.test(base)) return {};
    const manifest = await readManifest(join(this.#snapshotPath(base), MANIFEST));
    return manifest === undefined ? {} : inodesIn(this.#snapshotPath(base), manifest);
  }

  async #noteBase(phoneId: string, snapshotId: string): Promise<void> {
    await writeFile(join(this.#phonePath(phoneId), BASE), JSON.stringify({ snapshotId }));
  }

  #snapshotPath(snapshotId: string): string {
    return join(this.#snapshots, plain(snapshotId));
  }

  #phonePath(phoneId: string): string {
    return join(this.#phones, plain(phoneId));
  }

  /** Takes the host's room for one more file, folder or link. Throws unavailable when the host has too little. */
  readonly #takeRoom = async (contentBytes: number): Promise<void> => {
    const bytes = bytesOf({ bytes: contentBytes, entries: 1 });
    if ((await this.#hostSpace?.take(bytes, 1)) === false) throw new NoRoom();
  };

  /** Makes the folder of a phone or snapshot. Throws unavailable when the host has too little room for one more. */
  async #appear(path: string, make: (path: string) => Promise<void>): Promise<void> {
    await this.#takeRoom(0);
    const made = join(this.#scratch, `${basename(path)}.new`);
    await rm(made, { recursive: true, force: true });
    await withRoom(made, () => make(made));
    await rename(made, path);
  }

  async #vanish(path: string): Promise<void> {
    const gone = join(this.#scratch, `${basename(path)}.old`);
    await rm(gone, { recursive: true, force: true });
    const moved = await rename(path, gone).then(() => true, unlessMissing);
    if (moved === true) await rm(gone, { recursive: true, force: true });
  }
}

/** Changes a state that was copied from another phone such that the phone has an identity of its own. */
function forgetIdentity(state: string): void {
  const settings = new StateFile<Stored>(join(state, 'settings.json'));
  const stored = settings.read();
  if (stored !== undefined) settings.write(withoutIdentity(stored));
}

/** A phone that runs, while it is saved. */
export interface RunningPhone {
  /**
   * Runs `copy` while no file of the phone changes, and passes it the inodes of the files that are open for writing. Then it saves the
   * state that is not in files into the folder `saved`.
   */
  still(copy: (open: ReadonlySet<number>) => Promise<void>, saved: string): Promise<void>;
}

export type SavedState = Pick<Manifest, 'sizeBytes' | 'checksum'>;

/** The folder in `state/` that has the phone's file system. A phone without it is not whole. */
export const FILES = 'files';

const MANIFEST = 'manifest.json';

/** The file in a phone's folder that names the snapshot to which it was last saved, or from which it was made. */
const BASE = 'base.json';

/** Ending of the folder in `scratch` in which a restored state is put together. */
const RESTORED = '.restored';

function lost(): ApiError {
  return new ApiError('not_found', 'The files of the snapshot are not on the host of its phone any more. Delete it.');
}

/** Returns the checksums by inode of a snapshot; none where its manifest was written on another disk, whose inodes are other files. */
async function inodesIn(path: string, { inodes, tree }: Manifest): Promise<Manifest['inodes']> {
  return tree !== undefined && tree === (await treeMark(join(path, 'state')).catch(unlessMissing)) ? inodes : {};
}

function damaged(what: string): ApiError {
  return new ApiError('unavailable', `The snapshot is damaged: ${what} is not as it was saved. Delete it.`);
}

/** Runs `make`, and removes its leftovers when it fails. A full disk is reported to the customer, as a retry would fail too. */
async function withRoom(made: string, make: () => Promise<void>): Promise<void> {
  try {
    await make();
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw isDiskFull(error) ? new NoRoom(error) : error;
  }
}

const ID = /^[a-z0-9_-]{1,64}$/i;

/** Returns an id of the service. Throws for any other text, as it must not become a path. */
function plain(id: string): string {
  if (!ID.test(id)) throw new Error(`not an id: ${id.slice(0, 80)}`);
  return id;
}

/** Returns a name for a path in `scratch`. It contains the phone's id, so that the `state` folders of two phones have different names. */
function basename(path: string): string {
  return path.split('/').slice(-2).join('.');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
