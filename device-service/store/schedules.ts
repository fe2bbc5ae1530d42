import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import type { Day } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import type { GroupMaker, OnErrorWord } from './groups.js';

/** Steps that run every week. */
export interface ScheduleDocument {
  _id: string;
  accountId: string;
  /** The caller whose rights the runs have: the one that made the schedule or changed it last. */
  maker: GroupMaker;
  /** The key, or the member in a session, that made the schedule. It may therefore see the schedule. */
  createdBy: string;
  devices: string[];
  /** Numbers of days as in ISO: 1 is Monday. */
  days: Day[];
  /** HH:MM on the wall clock of `timezone`. */
  time: string;
  timezone: string;
  /** The steps, see fleet/groups/stored-steps.ts. */
  steps: string;
  concurrency: number;
  onError: OnErrorWord;
  createdAt: Date;
  /** When the next run is due. Absent while the schedule is not enabled. */
  nextRunAt?: Date;
  /** A run that was claimed and whose group may not be made yet. */
  begun?: { at: Date; groupId: string; claimedAt: Date };
  lastRun?: ScheduleRunRecord;
}

export interface ScheduleRunRecord {
  /** When the run was due. */
  at: Date;
  state: 'running' | 'done' | 'failed' | 'skipped';
  groupId?: string;
  reason?: string;
}

/** The fields that a customer may change. */
export type ScheduleChange = Partial<
  Pick<ScheduleDocument, 'maker' | 'devices' | 'days' | 'time' | 'timezone' | 'steps' | 'concurrency' | 'onError'>
>;

export class ScheduleStore {
  readonly #schedules: Collection<ScheduleDocument>;

  constructor(database: Db) {
    this.#schedules = database.collection<ScheduleDocument>('schedules');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#schedules, [
      { key: { accountId: 1, _id: 1 }, name: 'account' },
      { key: { nextRunAt: 1 }, name: 'next_run', sparse: true },
      { key: { 'begun.claimedAt': 1 }, name: 'begun', sparse: true },
    ]);
  }

  /**
   * Replaces the stored steps of each schedule, each by one update. `lost` means that some of them were removed: then the schedule is
   * disabled until it is enabled again. Returns the ids of schedules that were disabled.
   */
  async replaceSteps(by: (stored: string, place: string) => { steps: string; lost: boolean }): Promise<string[]> {
    const disabled: string[] = [];
    for await (const { _id, steps } of this.#schedules.find({}).sort({ _id: 1 })) {
      const replaced = by(steps, _id);
      if (replaced.steps === steps) continue;
      const change = { $set: { steps: replaced.steps }, ...(replaced.lost && { $unset: { nextRunAt: '' as const } }) };
      await this.#schedules.updateOne({ _id, steps }, change);
      if (replaced.lost) disabled.push(_id);
    }
    return disabled;
  }

  async insert(schedule: ScheduleDocument): Promise<void> {
    await this.#schedules.insertOne(schedule);
  }

  find(accountId: string, id: string): Promise<ScheduleDocument | null> {
    return this.#schedules.findOne({ _id: id, accountId });
  }

  /** Removes the schedules of an account. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#schedules.deleteMany({ accountId });
  }

  count(accountId: string): Promise<number> {
    return this.#schedules.countDocuments({ accountId });
  }

  /** Returns schedules after `afterId`, oldest first. With `createdBy`, it returns only the schedules that this key or member made. */
  list(query: {
    accountId: string;
    createdBy: string | undefined;
    afterId: string | undefined;
    limit: number;
  }): Promise<ScheduleDocument[]> {
    return this.#schedules
      .find({
        accountId: query.accountId,
        ...(query.createdBy !== undefined && { createdBy: query.createdBy }),
        ...(query.afterId !== undefined && { _id: { $gt: query.afterId } }),
      })
      .sort({ _id: 1 })
      .limit(query.limit)
      .toArray();
  }

  /**
   * Changes a schedule and its next run; `nextRunAt` null disables the schedule, and undefined leaves the next run as it is. Returns null when
   * the schedule is gone, or has another next run than was read.
   */
  change(
    { _id, accountId, nextRunAt: read }: ScheduleDocument,
    fields: ScheduleChange,
    nextRunAt: Date | null | undefined,
  ): Promise<ScheduleDocument | null> {
    const asRead = read === undefined ? { nextRunAt: { $exists: false } } : { nextRunAt: read };
    return this.#schedules.findOneAndUpdate(
      { _id, accountId, ...(nextRunAt !== undefined && asRead) },
      {
        ...((Object.keys(fields).length > 0 || nextRunAt instanceof Date) && {
          $set: { ...fields, ...(nextRunAt instanceof Date && { nextRunAt }) },
        }),
        ...(nextRunAt === null && { $unset: { nextRunAt: '' as const } }),
      },
      { returnDocument: 'after' },
    );
  }

  async delete(accountId: string, id: string): Promise<boolean> {
    return (await this.#schedules.deleteOne({ _id: id, accountId })).deletedCount === 1;
  }

  /** Returns schedules that are due. The one that has been due longest comes first. */
  findDue(now: Date, limit: number): Promise<ScheduleDocument[]> {
    return this.#schedules
      .find({ nextRunAt: { $lte: now } })
      .sort({ nextRunAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** Returns schedules with a run that was claimed before `before` and has not begun, because the process that claimed it ended. */
  findStuck(before: Date, limit: number): Promise<ScheduleDocument[]> {
    return this.#schedules
      .find({ 'begun.claimedAt': { $lt: before } })
      .limit(limit)
      .toArray();
  }

  /**
   * Claims the run that is due at `dueAt`, for one process. Returns undefined when another process was faster or the schedule was
   * changed.
   */
  async claim(
    { _id, nextRunAt }: ScheduleDocument,
    change: Pick<ScheduleDocument, 'nextRunAt' | 'begun' | 'lastRun'>,
  ): Promise<ScheduleDocument | undefined> {
    const filter = { _id, nextRunAt: nextRunAt as Date };
    const claimed = await this.#schedules.findOneAndUpdate(filter, { $set: change }, { returnDocument: 'after' });
    return claimed ?? undefined;
  }

  /** Notes that the claimed run has begun, or could not begin. Nothing is noted when its group has ended by now. */
  async begun(id: string, groupId: string, lastRun: ScheduleRunRecord): Promise<void> {
    await this.#schedules.updateOne(
      { _id: id, 'begun.groupId': groupId },
      { $set: { lastRun }, $unset: { begun: '' } },
    );
  }

  /** Notes how the group of the latest run ended. It does so even if nobody has noted yet that the run began. */
  async ended(id: string, lastRun: ScheduleRunRecord & { groupId: string }): Promise<void> {
    const { groupId } = lastRun;
    const byBegun = { _id: id, 'begun.groupId': groupId };
    const { matchedCount } = await this.#schedules.updateOne(byBegun, { $set: { lastRun }, $unset: { begun: '' } });
    // The claim of another run, which has not begun yet, stays.
    if (matchedCount === 0)
      await this.#schedules.updateOne({ _id: id, 'lastRun.groupId': groupId }, { $set: { lastRun } });
  }
}
