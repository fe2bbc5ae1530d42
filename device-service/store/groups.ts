import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/put-indexes.js';
import type { JobOutcome } from './device-document.js';
import { insertNew } from './insert-new.js';

/** Steps that run on many devices, and how far they are. */
export interface GroupDocument {
  _id: string;
  accountId: string;
  /** The job that callers poll. It is in no device's document; once the group has ended it is filed with the other jobs. */
  jobId: string;
  /** For people. Absent: it was given none. */
  name?: string;
  /** `key:value`, sorted by key. Absent: none. */
  labels?: string[];
  /** Whose rights the steps have: a key, or the owner of the account, whose session may be over by then. */
  maker: GroupMaker;
  /** The steps, see groups/stored-steps.ts. */
  steps: string;
  stepCount: number;
  concurrency: number;
  onError: OnErrorWord;
  devices: GroupDevice[];
  createdAt: Date;
  /** The host at work on it, one run of one of its processes, which fences its writes, and until when others keep away. */
  hostId: string;
  runId: string;
  leaseUntil: Date;
  /** How many processes ended, or failed, while they were at work on it. Absent: none. */
  takeovers?: number;
  /** The schedule that made it, and when that was due. */
  schedule?: { id: string; at: Date };
  /** When it was cancelled: no step begins after a run has read this. */
  cancelledAt?: Date;
  outcome?: JobOutcome;
  /** It runs, or has ended and is not known to be filed as a job. */
  open?: true;
  /** Kept until then. Absent while it runs. */
  expiresAt?: Date;
}

/** The caller that created a group or schedule: `id` is that of the key or session. */
export interface GroupMaker {
  id: string;
  isOwner: boolean;
}

export type OnErrorWord = 'stop' | 'continue';

export interface GroupDevice {
  name: string;
  phoneId: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  /** How many steps have been done; the index of the step that runs or failed. */
  step: number;
  error?: NonNullable<JobOutcome['error']>;
}

/** One run of a group: writes of another one are not done. */
export type GroupRun = Pick<GroupDocument, '_id' | 'runId'>;

/** The end of a group. `devices`: absent where they are in the database already. */
export type GroupEnd = Required<Pick<GroupDocument, 'outcome' | 'expiresAt'>> & Partial<Pick<GroupDocument, 'devices'>>;

/** Most groups have no labels; a filter by a label implies this. */
const LABELLED = { labels: { $exists: true } };

/** The groups collection. A group's document is written by its run alone, one device's progress at a time. */
export class GroupStore {
  readonly #groups: Collection<GroupDocument>;

  constructor(database: Db) {
    this.#groups = database.collection<GroupDocument>('groups');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#groups, [
      { key: { jobId: 1 }, name: 'job', unique: true },
      { key: { open: 1, accountId: 1 }, name: 'open', partialFilterExpression: { open: true } },
      { key: { accountId: 1, _id: -1 }, name: 'account' },
      { key: { accountId: 1, 'maker.id': 1, _id: -1 }, name: 'account_maker' },
      { key: { accountId: 1, labels: 1, _id: -1 }, name: 'account_label', partialFilterExpression: LABELLED },
      {
        key: { accountId: 1, 'maker.id': 1, labels: 1, _id: -1 },
        name: 'maker_label',
        partialFilterExpression: LABELLED,
      },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  /** Returns false when there is a group of this id. */
  insert(group: GroupDocument): Promise<boolean> {
    return insertNew(this.#groups, group);
  }

  find(groupId: string): Promise<GroupDocument | null> {
    return this.#groups.findOne({ _id: groupId });
  }

  findByJob(jobId: string): Promise<GroupDocument | null> {
    return this.#groups.findOne({ jobId });
  }

  /** Newest first, before `beforeId`; of one maker, and of one label, as `key:value`, when they are given. Without the steps. */
  list(query: {
    accountId: string;
    makerId: string | undefined;
    label?: string | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<GroupDocument[]> {
    const { accountId, makerId, label, beforeId, limit } = query;
    const filter = {
      accountId,
      ...(makerId !== undefined && { 'maker.id': makerId }),
      ...(label !== undefined && { labels: label }),
      ...(beforeId !== undefined && { _id: { $lt: beforeId } }),
    };
    return this.#groups
      .find(filter, { projection: { steps: 0 } })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Groups that run, or whose job is not known to be filed; of one account when it is given. */
  listOpen(accountId?: string): Promise<GroupDocument[]> {
    return this.#groups.find({ open: true, ...(accountId !== undefined && { accountId }) }).toArray();
  }

  /** Removes the groups of an account; one that runs ends with the next progress that it notes. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#groups.deleteMany({ accountId });
  }

  countOpen(accountId: string): Promise<number> {
    return this.#groups.countDocuments({ open: true, accountId });
  }

  /** Takes a group over from the run `from`. Returns undefined when another process was faster. */
  async take(
    from: GroupRun,
    lease: Pick<GroupDocument, 'hostId' | 'runId' | 'leaseUntil' | 'takeovers'>,
  ): Promise<GroupDocument | undefined> {
    const filter = { _id: from._id, runId: from.runId, outcome: { $exists: false } };
    return (await this.#groups.findOneAndUpdate(filter, { $set: lease }, { returnDocument: 'after' })) ?? undefined;
  }

  /** Notes the cancel of a group that has not ended; the first one stays. Returns the group; null when it has ended. */
  async cancel(groupId: string, cancelledAt: Date): Promise<GroupDocument | null> {
    const running = { _id: groupId, outcome: { $exists: false } };
    await this.#groups.updateOne({ ...running, cancelledAt: { $exists: false } }, { $set: { cancelledAt } });
    return this.#groups.findOne(running);
  }

  async renew(runs: readonly GroupRun[], leaseUntil: Date): Promise<void> {
    const [ids, runIds] = [runs.map(({ _id }) => _id), runs.map(({ runId }) => runId)];
    await this.#groups.updateMany({ _id: { $in: ids }, runId: { $in: runIds }, open: true }, { $set: { leaseUntil } });
  }

  /** Writes how far one device is. Returns false when another run has the group. */
  async note({ _id, runId }: GroupRun, index: number, device: GroupDevice): Promise<boolean> {
    const { matchedCount } = await this.#groups.updateOne({ _id, runId }, { $set: { [`devices.${index}`]: device } });
    return matchedCount === 1;
  }

  /** Returns false when another run has the group. */
  async finish({ _id, runId }: GroupRun, end: GroupEnd): Promise<boolean> {
    const { matchedCount } = await this.#groups.updateOne({ _id, runId }, { $set: end });
    return matchedCount === 1;
  }

  /** Replaces the steps of each group as they are stored; `by` gets the document that they belong to. Each is one update. */
  async replaceSteps(by: (stored: string, place: string) => string): Promise<void> {
    for await (const { _id, steps, schedule } of this.#groups.find({}).sort({ _id: 1 })) {
      const replaced = by(steps, schedule?.id ?? _id);
      if (replaced !== steps) await this.#groups.updateOne({ _id, steps }, { $set: { steps: replaced } });
    }
  }

  /** Notes that the group's job is filed. */
  async close(groupId: string): Promise<void> {
    await this.#groups.updateOne({ _id: groupId, outcome: { $exists: true } }, { $unset: { open: '' } });
  }
}
