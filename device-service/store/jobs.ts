import type { Collection, Db, Filter } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { documentErrors } from '../../kit/db/mongo.js';
import type { DeviceDocument, Job, JobKindWord, JobOutcome } from './device-document.js';
import { listed, type Seen } from './seen.js';

/** A finished job, filed here from its device's document. */
export interface JobDocument extends Pick<Job, 'createdAt' | 'progress'> {
  _id: string;
  accountId: string;
  kind: JobKindWord | 'group';
  /** The phone id. Empty for a group. */
  phoneId: string;
  /** The name that the device had. Empty for a group. */
  device: string;
  /** The key, or the member in a session, that made the device (or the group), and may therefore see its jobs. */
  deviceCreatedBy: string;
  /** The labels that the device had, as `key:value`. Absent: it had none. */
  deviceLabels?: string[];
  /**
   * The device was gone when the job was filed, so its labels do not change any more, and callers with one of them see the job. The jobs of
   * other devices follow the labels that the device has now.
   */
  deviceGone?: true;
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
          ...(device.labels !== undefined && { deviceLabels: device.labels }),
          ...(device.gone === true && { deviceGone: true as const }),
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

  /** Returns jobs, newest first, before `beforeId`. `phoneIds` are those of the devices that the caller sees by a label. */
  list(query: {
    accountId: string;
    seen: Seen | undefined;
    phoneIds?: readonly string[];
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
        ...(query.seen !== undefined && seenJobs(query.seen, query.phoneIds ?? [])),
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

/**
 * Limits a query to the jobs of the devices that a caller sees. Devices that it sees by a label come by their ids, as their labels may have
 * changed since, and another device may have had the name before. Devices that are gone have the labels that they had.
 */
function seenJobs(seen: Seen, phoneIds: readonly string[]): Filter<JobDocument> {
  const { keyId, memberId, within } = seen;
  const byLabel = seen.label !== undefined || within?.label !== undefined;
  const onList = listed<JobDocument>(seen, JOB_FIELDS);
  return {
    $or: [
      { deviceCreatedBy: { $in: memberId === undefined ? [keyId] : [keyId, memberId] } },
      ...(byLabel ? [{ phoneId: { $in: [...phoneIds] } }, { deviceGone: true as const, $or: onList }] : onList),
    ],
  };
}

const JOB_FIELDS = { name: 'device', labels: 'deviceLabels', createdBy: 'deviceCreatedBy' };
