import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../../kit/errors.js';
import type { PhoneSpec, PhoneStatus } from '../../driver.js';
import { copyTree } from './copy-tree.js';
import { parsePhoneSpec } from './phone-spec.js';
import { processOf, reasonOf, RunFile, type RunRecord } from './run-record.js';

/** A phone that is not here, or not whole: `status` says which. */
export class UnusablePhone extends ApiError {
  readonly status: PhoneStatus & { state: 'absent' | 'broken' };

  constructor(phoneId: string, status: PhoneStatus & { state: 'absent' | 'broken' }) {
    if (status.state === 'broken') super('busy', status.problem);
    else super('not_found', `There is no phone ${phoneId} on this host.`);
    this.status = status;
  }
}

/**
 * Where simulated phones are kept: `phones/<phone id>/phone.json` describes a phone, `run.json` beside it names the process that runs
 * it, `phones/<phone id>/state/` is everything inside it, `snapshots/<snapshot id>/state/` is a copy of that. What comes or goes as a
 * whole does so by one rename from or to `scratch`, a folder of this process alone; what a crash left there is removed by `clean`.
 */
export class PhoneFolder {
  readonly #phones: string;
  readonly #snapshots: string;
  readonly #scratch: string;

  /** `scratch` must be on the same file system. No two processes may use the same one. */
  constructor(directory: string, scratch: string) {
    this.#phones = join(directory, 'phones');
    this.#snapshots = join(directory, 'snapshots');
    this.#scratch = scratch;
  }

  /** Makes the folders and removes what a crash left half done. */
  async clean(): Promise<void> {
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

  /** The description of a phone that is whole. Throws UnusablePhone. */
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

  /** The status of a phone that no process runs; a process that does is returned instead. */
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

  /** Ids of the phones that exist. */
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

  /** Returns the size of the copy in bytes. A snapshot that exists is kept. */
  async snapshot(phoneId: string, snapshotId: string): Promise<number> {
    await this.read(phoneId);
    const target = join(this.#snapshots, plain(snapshotId));
    if (!(await exists(target)))
      await this.#appear(target, (path) => copyTree(this.statePath(phoneId), join(path, 'state')));
    return sizeOf(target);
  }

  /**
   * The present state goes when the copy is whole: until then a failure leaves it as it is. A crash between the two renames leaves a
   * broken phone, which the same restore, done again, makes whole.
   */
  async restore(phoneId: string, snapshotId: string): Promise<void> {
    if (!(await exists(this.#phonePath(phoneId)))) throw new UnusablePhone(phoneId, { state: 'absent' });
    const fresh = join(this.#scratch, `${plain(phoneId)}.restored`);
    await rm(fresh, { recursive: true, force: true });
    await copyTree(await this.#snapshotState(snapshotId), fresh);
    await this.#vanish(this.statePath(phoneId));
    await rename(fresh, this.statePath(phoneId));
  }

  async clone(snapshotId: string, phone: PhoneSpec): Promise<void> {
    if (await exists(this.#phonePath(phone.phoneId))) return;
    await this.#appear(this.#phonePath(phone.phoneId), async (path) => {
      await copyTree(await this.#snapshotState(snapshotId), join(path, 'state'));
      await writeFile(join(path, 'phone.json'), JSON.stringify(phone));
    });
  }

  async deleteSnapshot(snapshotId: string): Promise<void> {
    await this.#vanish(join(this.#snapshots, plain(snapshotId)));
  }

  async #snapshotState(snapshotId: string): Promise<string> {
    const path = join(this.#snapshots, plain(snapshotId), 'state');
    if (await exists(path)) return path;
    throw new ApiError('not_found', 'The files of the snapshot are lost. Delete the snapshot.');
  }

  #phonePath(phoneId: string): string {
    return join(this.#phones, plain(phoneId));
  }

  async #appear(path: string, make: (path: string) => Promise<void>): Promise<void> {
    const made = join(this.#scratch, `${basename(path)}.new`);
    await rm(made, { recursive: true, force: true });
    await make(made);
    await rename(made, path);
  }

  async #vanish(path: string): Promise<void> {
    const gone = join(this.#scratch, `${basename(path)}.old`);
    await rm(gone, { recursive: true, force: true });
    const moved = await rename(path, gone).then(() => true, unlessMissing);
    if (moved === true) await rm(gone, { recursive: true, force: true });
  }
}

/** The part of `state/` without which a phone is not whole: its file system. */
const FILES = 'files';

const ID = /^[a-z0-9_-]{1,64}$/i;

/** Ids are made by the service; anything else must not become a path. */
function plain(id: string): string {
  if (!ID.test(id)) throw new Error(`not an id: ${id.slice(0, 80)}`);
  return id;
}

/** Two paths of one process that are worked on at once differ here: `state` of two phones must not meet in `scratch`. */
function basename(path: string): string {
  return path.split('/').slice(-2).join('.');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
