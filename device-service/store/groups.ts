import type { Collection, Db } from 'mongodb';
import { Leases } from '../../kit/db/leases.js';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { JobOutcome } from './device-document.js';
import { insertNew } from './insert-new.js';

/** Steps that run on many devices, and how far they are. */
export interface GroupDocument {
  _id: string;
  accountId: string;
  /** The job that callers poll. No device's document contains this job. Once the group has ended, the job is filed with the other jobs. */
  jobId: string;
  /** A name for people. Absent: the maker gave none. */
  name?: string;
  /** Labels as `key:value`, sorted by key. Absent: there are none. */
  labels?: string[];
  /** The caller whose rights the steps have: a key, or the owner of the account. The steps may run after the owner's session has ended. */
  maker: GroupMaker;
  /** The steps, see fleet/groups/stored-steps.ts. */
  steps: string;
  stepCount: number;
  concurrency: number;
  onError: OnErrorWord;
  devices: GroupDevice[];
  createdAt: Date;
  /**
   * The host whose process runs the group, and the id of this run. Writes of a run name its `runId`, and have no effect once another run
   * has the group. Until `leaseUntil`, other processes leave the group alone.
   */
  hostId: string;
  runId: string;
  leaseUntil: Date;
  /** How many times a process took the group over from one that had not released it, as after a crash. Absent: never. */
  takeovers?: number;
  /** The schedule that made the group, and the time at which this run of the schedule was due. */
  schedule?: { id: string; at: Date };
  /** When the group was cancelled. No step begins after a run has read this. */
  cancelledAt?: Date;
  outcome?: JobOutcome;
  /** Set while the group runs, and after its end until its job is known to be filed. */
  open?: true;
  /** When the group is removed. Absent while it runs. */
  expiresAt?: Date;
}

/** A group as lists have it: its steps may take a megabyte. */
export type ListedGroup = Omit<GroupDocument, 'steps'>;

/** The caller that created a group or schedule; `id` is the id of the key or session. */
export interface GroupMaker {
  id: string;
  /** Whether it was made in a person's session. */
  isOwner: boolean;
  /** The member of that session. Absent: made before accounts had members, by the person that the account was made for. */
  memberId?: string;
}

/** Returns the id under which the maker sees what it made: in each session of a person that of the member. */
export function idOfMaker({ id, memberId }: GroupMaker): string {
  return memberId ?? id;
}

export type OnErrorWord = 'stop' | 'continue';

export interface GroupDevice {
  name: string;
  phoneId: string;
  state: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  /** The number of steps that are done. It is also the index of the step that runs or failed. */
  step: number;
  error?: NonNullable<JobOutcome['error']>;
}

/** One run of a group. Writes of any other run have no effect. */
export type GroupRun = Pick<GroupDocument, '_id' | 'runId'>;

/** The end of a group. `devices` is absent where the database has their last states already. */
export type GroupEnd = Required<Pick<GroupDocument, 'outcome' | 'expiresAt'>> & Partial<Pick<GroupDocument, 'devices'>>;

/** Most groups have no labels. A filter by a label implies this condition, so that the partial index can be used. */
const LABELLED = { labels: { $exists: true } };

/** The groups collection. The progress and the end of a group are written only by the run that has the group. */
export class GroupStore {
  readonly #groups: Collection<GroupDocument>;
  readonly #leases: Leases<GroupDocument, 'runId'>;

  constructor(database: Db) {
    this.#groups = database.collection<GroupDocument>('groups');
    const fields = { owner: 'hostId', leaseUntil: 'leaseUntil', fence: ['runId'], takeOvers: 'takeovers' } as const;
    this.#leases = new Leases(this.#groups, fields);
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#groups, [
      { key: { jobId: 1 }, name: 'job', unique: true },
      { key: { open: 1, accountId: 1 }, name: 'open', partialFilterExpression: { open: true } },
      { key: { accountId: 1, _id: -1 }, name: 'account' },
      { key: { accountId: 1, 'maker.id': 1, _id: -1 }, name: 'account_maker' },
      {
        key: { accountId: 1, 'maker.memberId': 1, _id: -1 },
        name: 'account_member',
        partialFilterExpression: { 'maker.memberId': { $exists: true } },
      },
      { key: { accountId: 1, labels: 1, _id: -1 }, name: 'account_label', partialFilterExpression: LABELLED },
      {
        key: { accountId: 1, 'maker.id': 1, labels: 1, _id: -1 },
        name: 'maker_label',
        partialFilterExpression: LABELLED,
      },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  /** Inserts a group. Returns false when there is a group with this id. */
  insert(group: GroupDocument): Promise<boolean> {
    return insertNew(this.#groups, group);
  }

  find(groupId: string): Promise<GroupDocument | null> {
    return this.#groups.findOne({ _id: groupId });
  }

  findByJob(jobId: string): Promise<GroupDocument | null> {
    return this.#groups.findOne({ jobId });
  }

  /**
   * Returns groups without their steps, newest first, before `beforeId`. A maker (a key, or a member in any session) and a label
   * (`key:value`) limit them, when they are given.
   */
  list(query: {
    accountId: string;
    makerId?: string | undefined;
    memberId?: string | undefined;
    label?: string | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<ListedGroup[]> {
    const { accountId, makerId, memberId, label, beforeId, limit } = query;
    const filter = {
      accountId,
      ...(makerId !== undefined && { 'maker.id': makerId }),
      ...(memberId !== undefined && { 'maker.memberId': memberId }),
      ...(label !== undefined && { labels: label }),
      ...(beforeId !== undefined && { _id: { $lt: beforeId } }),
    };
    return this.#groups
      .find<ListedGroup>(filter, { projection: { steps: 0 } })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Returns groups that run, or whose job is not known to be filed; only those of an account when it is given. */
  listOpen(accountId?: string): Promise<ListedGroup[]> {
    const filter = { open: true as const, ...(accountId !== undefined && { accountId }) };
    return this.#groups.find<ListedGroup>(filter, { projection: { steps: 0 } }).toArray();
  }

  /** Removes the groups of an account. A group that runs ends when it next writes its progress. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#groups.deleteMany({ accountId });
  }

  countOpen(accountId: string): Promise<number> {
    return this.#groups.countDocuments({ open: true, accountId });
  }

  /** Takes over a group whose lease is over. Returns undefined when another process was faster. */
  take(
    read: ListedGroup,
    lease: Pick<GroupDocument, 'hostId' | 'runId' | 'leaseUntil'>,
  ): Promise<GroupDocument | undefined> {
    return this.#leases.claim(read, lease, { where: { outcome: { $exists: false } } });
  }

  /** Writes the cancel of a group that has not ended; the first cancel stays. Returns the group; null when it has ended. */
  async cancel(groupId: string, cancelledAt: Date): Promise<GroupDocument | null> {
    const running = { _id: groupId, outcome: { $exists: false } };
    await this.#groups.updateOne({ ...running, cancelledAt: { $exists: false } }, { $set: { cancelledAt } });
    return this.#groups.findOne(running);
  }

  async renew(runs: readonly GroupRun[], leaseUntil: Date): Promise<void> {
    await this.#leases.renew(runs, leaseUntil);
  }

  /** Ends the leases of runs that this process breaks off at its stop, so that the next process continues the groups at once. */
  release(runs: readonly GroupRun[]): Promise<void> {
    return this.#leases.release(runs);
  }

  /** Writes how far one device is. Returns false when another run has the group. */
  note(run: GroupRun, index: number, device: GroupDevice): Promise<boolean> {
    return this.#leases.write(run, { $set: { [`devices.${index}`]: device } });
  }

  /** Writes the end of a group. Returns false when another run has the group. */
  finish(run: GroupRun, end: GroupEnd): Promise<boolean> {
    return this.#leases.write(run, { $set: end });
  }

  /** Replaces the stored steps of each group, each by one update. `by` also gets the id of the document that the steps belong to. */
  async replaceSteps(by: (stored: string, place: string) => string): Promise<void> {
    for await (const { _id, steps, schedule } of this.#groups.find({}).sort({ _id: 1 })) {
      const replaced = by(steps, schedule?.id ?? _id);
      if (replaced !== steps) await this.#groups.updateOne({ _id, steps }, { $set: { steps: replaced } });
    }
  }

  /** Takes an ended group off the open ones, once its job is filed. */
  async close(groupId: string): Promise<void> {
    await this.#groups.updateOne({ _id: groupId, outcome: { $exists: true } }, { $unset: { open: '' } });
  }
}
