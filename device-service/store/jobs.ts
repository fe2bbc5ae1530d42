import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { documentErrors } from '../../kit/db/mongo.js';
import type { DeviceDocument, Job, JobKindWord, JobOutcome } from './device-document.js';
import type { Seen } from './devices.js';

/** A finished job, filed here from its device's document. */
export interface JobDocument extends Pick<Job, 'createdAt' | 'progress'> {
  _id: string;
  accountId: string;
  kind: JobKindWord | 'group';
  /** The phone id. Empty for a group. */
  phoneId: string;
  /** The name that the device had. Empty for a group. */
  device: string;
  /** The API key that made the device (or the group), which may therefore see its jobs. */
  deviceCreatedBy: string;
  outcome: JobOutcome;
  /** The webhook service does not have the job's event yet. */
  eventPending?: true;
  /** When the job is removed. */
  expiresAt: Date;
}

const FAILED = { 'outcome.state': 'failed' };

/** How long finished jobs are stored, days. */
const JOB_KEPT_DAYS = 30;
export const JOB_KEPT_MS = JOB_KEPT_DAYS * 86_400_000;

/** Returns the finished jobs that are still with their device, oldest first, as they will be filed. */
export function unfiledJobs(device: DeviceDocument): JobDocument[] {
  return (device.finished ?? []).flatMap(({ id, kind, createdAt, progress, outcome }) =>
    outcome === undefined
      ? []
      : {
          _id: id,
          accountId: device.accountId,
          phoneId: device._id,
          device: device.name,
          deviceCreatedBy: device.createdBy,
          kind,
          createdAt,
          progress,
          outcome,
          expiresAt: new Date(outcome.finishedAt.getTime() + JOB_KEPT_MS),
        },
  );
}

/** The jobs collection: finished jobs. Unfinished ones are inside their device's document (store/devices.ts). */
export class JobStore {
  readonly #jobs: Collection<JobDocument>;

  constructor(database: Db) {
    this.#jobs = database.collection<JobDocument>('jobs');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#jobs, [
      { key: { accountId: 1, _id: -1 }, name: 'account' },
      { key: { accountId: 1, device: 1, _id: -1 }, name: 'account_device' },
      // Most jobs are done, so lists of done ones skip few others.
      { key: { accountId: 1, _id: -1 }, name: 'account_failed', partialFilterExpression: FAILED },
      { key: { accountId: 1, device: 1, _id: -1 }, name: 'account_device_failed', partialFilterExpression: FAILED },
      { key: { 'outcome.state': 1, _id: -1 }, name: 'failed', partialFilterExpression: FAILED },
      { key: { eventPending: 1 }, name: 'event_pending', sparse: true },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  /** Files finished jobs. Filing one again changes nothing. */
  async file(jobs: readonly JobDocument[]): Promise<void> {
    if (jobs.length === 0) return;
    try {
      await this.#jobs.insertMany([...jobs], { ordered: false });
    } catch (error) {
      // Duplicates were filed by an earlier attempt.
      if (documentErrors(error).some(({ isDuplicate }) => !isDuplicate)) throw error;
    }
  }

  /** Returns the jobs whose event has not been published. */
  eventsPending(): AsyncIterable<JobDocument> {
    return this.#jobs.find({ eventPending: true });
  }

  /** Returns how many jobs there are whose event has not been published, up to `most`. */
  countEventPending(most: number, signal: AbortSignal): Promise<number> {
    return this.#jobs.countDocuments({ eventPending: true }, { limit: most, signal });
  }

  async eventPublished(id: string): Promise<void> {
    await this.#jobs.updateOne({ _id: id, eventPending: true }, { $unset: { eventPending: '' } });
  }

  find(id: string): Promise<JobDocument | null> {
    return this.#jobs.findOne({ _id: id });
  }

  /** Returns jobs, newest first, before `beforeId`. */
  list(query: {
    accountId: string;
    seen: Seen | undefined;
    device: string | undefined;
    state: 'done' | 'failed' | undefined;
    beforeId: string | undefined;
    limit: number;
  }): Promise<JobDocument[]> {
    return this.#jobs
      .find({
        accountId: query.accountId,
        ...(query.device !== undefined && { device: query.device }),
        ...(query.state !== undefined && { 'outcome.state': query.state }),
        ...(query.beforeId !== undefined && { _id: { $lt: query.beforeId } }),
        ...(query.seen !== undefined && {
          $or: [{ device: { $in: [...query.seen.names] } }, { deviceCreatedBy: query.seen.keyId }],
        }),
      })
      .sort({ _id: -1 })
      .limit(query.limit)
      .toArray();
  }

  /** Removes the filed jobs of an account. */
  async deleteAll(accountId: string): Promise<void> {
    await this.#jobs.deleteMany({ accountId });
  }

  /** Returns jobs of all accounts, newest first. */
  listAll(limit: number, state?: 'done' | 'failed'): Promise<JobDocument[]> {
    return this.#jobs
      .find(state === undefined ? {} : { 'outcome.state': state })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }
}
