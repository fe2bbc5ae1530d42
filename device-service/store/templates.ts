import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/**
 * A phone in a known state, from which devices are made. Its files are on each of its `hosts`, kept as a snapshot of the template's id.
 *
 * The document is written before its files, and removed after them. So files without a document belong to no template, and can be removed
 * (devices/templates/sweep-templates.ts).
 */
export interface TemplateDocument {
  _id: string;
  accountId: string;
  name: string;
  /** `<account>/<name>`, unique; absent once it is certain that the template goes, which frees the name. */
  nameKey?: string;
  /** The snapshot that it is made from, the device of that, and the job that does it. */
  snapshotId: string;
  phoneId: string;
  jobId: string;
  driver: string;
  model: string;
  android: string;
  /** `deleting`: it is no longer shown. */
  state: 'saving' | 'ready' | 'failed' | 'deleting';
  /** The state that a template gets again whose deletion is refused. */
  stateBefore?: 'saving' | 'ready' | 'failed';
  /** The size of a ready template. */
  sizeBytes?: number;
  /** The size that is counted while it is being saved. */
  expectedBytes?: number;
  /** The folder of its files, as the way between hosts describes it. Absent where files do not go from host to host. */
  archive?: { sizeBytes: number; checksum: string };
  /** The image that its phones must have. Absent: they have none, or the driver itself knows. */
  image?: string;
  /** The hosts that have its files, whole. A host that saves it is one from the beginning. */
  hosts: { hostId: string }[];
  createdAt: Date;
}

/** How ids of templates begin. */
export const TEMPLATE_ID_PREFIX = 'tpl';

/** Returns whether files that a driver keeps as a snapshot are those of a template. */
export function isTemplateId(id: string): boolean {
  return id.startsWith(`${TEMPLATE_ID_PREFIX}_`);
}

/** What a template is once it is saved. */
export type SavedTemplate = Pick<TemplateDocument, 'archive' | 'image'> & { sizeBytes: number };

const SHOWN: ('saving' | 'ready' | 'failed')[] = ['saving', 'ready', 'failed'];

export class TemplateStore {
  readonly #templates: Collection<TemplateDocument>;

  constructor(database: Db) {
    this.#templates = database.collection<TemplateDocument>('templates');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#templates, [
      { key: { nameKey: 1 }, name: 'name', unique: true, sparse: true },
      { key: { accountId: 1, name: 1 }, name: 'account_name' },
      { key: { 'hosts.hostId': 1 }, name: 'host' },
      { key: { state: 1, driver: 1 }, name: 'state_driver' },
    ]);
  }

  /** Inserts a template. Returns false when its name is taken. */
  insert(template: TemplateDocument): Promise<boolean> {
    return insertNew(this.#templates, template);
  }

  find(id: string): Promise<TemplateDocument | null> {
    return this.#templates.findOne({ _id: id });
  }

  /** Returns the account's template of a name. One that is being deleted is not found. */
  async findByName(accountId: string, name: string): Promise<TemplateDocument | null> {
    const found = await this.#templates.findOne({ nameKey: templateNameKey(accountId, name) });
    return found?.state === 'deleting' ? null : found;
  }

  findByIds(ids: readonly string[]): Promise<TemplateDocument[]> {
    return this.#templates.find({ _id: { $in: [...ids] } }).toArray();
  }

  /** Returns the account's templates that are shown, by name, after `afterName`. */
  list(accountId: string, limit: number, afterName?: string): Promise<TemplateDocument[]> {
    return this.#templates
      .find({ accountId, state: { $in: SHOWN }, ...(afterName !== undefined && { name: { $gt: afterName } }) })
      .sort({ name: 1 })
      .limit(limit)
      .toArray();
  }

  count(accountId: string): Promise<number> {
    return this.#templates.countDocuments({ accountId, state: { $in: SHOWN } });
  }

  /** Returns all templates of the account, in any state. */
  findOfAccount(accountId: string): Promise<TemplateDocument[]> {
    return this.#templates.find({ accountId }).toArray();
  }

  /** Returns the size of all templates of the account, each once, including those that are being saved or removed. */
  async storageBytes(accountId: string): Promise<number> {
    const [sums] = await this.#templates
      .aggregate<{ sizeBytes: number; expectedBytes: number }>([
        { $match: { accountId } },
        { $group: { _id: '$accountId', sizeBytes: { $sum: '$sizeBytes' }, expectedBytes: { $sum: '$expectedBytes' } } },
      ])
      .toArray();
    return (sums?.sizeBytes ?? 0) + (sums?.expectedBytes ?? 0);
  }

  /** Returns the templates of all accounts whose saving or deletion is not finished. There are few of them, for a short time. */
  findOpen(): Promise<TemplateDocument[]> {
    return this.#templates.find({ state: { $in: ['saving', 'deleting'] } }).toArray();
  }

  /** Returns ready templates of one kind of phones. */
  findReady(driver: string): Promise<TemplateDocument[]> {
    return this.#templates.find({ state: 'ready', driver }).toArray();
  }

  /** Notes that a template is whole at a host. Returns false when it is not being saved any more. */
  async saved(id: string, hostId: string, saved: SavedTemplate): Promise<boolean> {
    const { matchedCount } = await this.#templates.updateOne(
      { _id: id, state: 'saving' },
      { $set: { ...saved, state: 'ready', hosts: [{ hostId }] }, $unset: { expectedBytes: '' } },
    );
    return matchedCount === 1;
  }

  /** Notes that its job failed. It may be ready: a process was killed between its last file and the end of its job. */
  async fail(id: string, from: ('saving' | 'ready')[] = ['saving', 'ready']): Promise<void> {
    await this.#templates.updateOne({ _id: id, state: { $in: from } }, EMPTIED);
  }

  /** Notes that a host has all files of a ready template. Returns false when it is not ready any more. */
  async addHost(id: string, hostId: string): Promise<boolean> {
    const { matchedCount } = await this.#templates.updateOne(
      { _id: id, state: 'ready', 'hosts.hostId': { $ne: hostId } },
      { $push: { hosts: { hostId } } },
    );
    return matchedCount === 1 || hasHost(await this.find(id), hostId);
  }

  /** Marks a template for deletion, unless its state has changed since it was read. */
  async beginDelete({ _id, state }: TemplateDocument): Promise<boolean> {
    if (state === 'deleting') return false;
    const { matchedCount } = await this.#templates.updateOne(
      { _id, state },
      { $set: { state: 'deleting', stateBefore: state } },
    );
    return matchedCount === 1;
  }

  /** Takes the mark from a template that is in use. Returns false when its deletion is certain by now. */
  async keep(id: string): Promise<boolean> {
    const read = await this.find(id);
    if (read?.state !== 'deleting' || read.nameKey === undefined) return false;
    const { stateBefore: state = 'failed' } = read;
    const { matchedCount } = await this.#templates.updateOne(
      { _id: id, state: 'deleting', nameKey: read.nameKey },
      { $set: { state }, $unset: { stateBefore: '' } },
    );
    return matchedCount === 1;
  }

  /** Frees the name of a marked template. Its deletion is certain from here on. */
  async release(id: string): Promise<void> {
    await this.#templates.updateOne({ _id: id, state: 'deleting' }, { $unset: { nameKey: '' } });
  }

  /** Notes that a host has removed the files of a template that goes, and removes the document with the last host. */
  async removedAt(id: string, hostId: string): Promise<void> {
    await this.#templates.updateOne({ _id: id, state: 'deleting' }, { $pull: { hosts: { hostId } } });
    await this.forget(id);
  }

  /** Removes a template that goes, and that no host has any more. */
  async forget(id: string): Promise<void> {
    const gone = { state: 'deleting' as const, nameKey: { $exists: false }, 'hosts.hostId': { $exists: false } };
    await this.#templates.deleteOne({ _id: id, ...gone });
  }

  /** Notes that a host is gone with its disk. Templates that no other host has are lost. */
  async forgetHost(hostId: string): Promise<void> {
    await this.#templates.updateMany({ 'hosts.hostId': hostId }, { $pull: { hosts: { hostId } } });
    for (const state of ['saving', 'ready'] as const)
      await this.#templates.updateMany({ state, 'hosts.hostId': { $exists: false } }, EMPTIED);
  }
}

const EMPTIED = {
  $set: { state: 'failed' as const },
  $unset: { expectedBytes: '' as const, sizeBytes: '' as const, archive: '' as const, image: '' as const },
};

/** Returns whether a host has all files of a template that is ready. */
export function hasHost(template: TemplateDocument | null, hostId: string): boolean {
  return template?.state === 'ready' && template.hosts.some((host) => host.hostId === hostId);
}

export function templateNameKey(accountId: string, name: string): string {
  return `${accountId}/${name}`;
}
