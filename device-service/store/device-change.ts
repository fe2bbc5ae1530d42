import type { Filter, UpdateFilter } from 'mongodb';
import type { DeviceDocument, DeviceEvent, Job } from './device-document.js';

/** Fields that an operation may change along with a device's state; `null` takes a field away. */
export type DeviceChange = Partial<Pick<DeviceDocument, 'state' | 'wanted' | 'made' | 'exit' | 'minutes'>> & {
  [K in 'endpoint' | 'startedAt' | 'lostAt' | 'problem' | 'unbooked']?: NonNullable<DeviceDocument[K]> | null;
} & {
  gone?: true;
  nextGeneration?: true;
  deviceEvents?: DeviceEvent[];
  /** A job of the service's own, which begins with the change. */
  job?: Job;
  /** Of the job at work, see Job. */
  checkedAt?: Date;
  restored?: true;
};

/**
 * The device as this process may still change it: not taken by another one, and with the job that it was read with. The epochs of two
 * hosts may be equal, so the fence is valid only together with the host.
 */
export function driven({ _id, hostId, fence, job }: DeviceDocument): Filter<DeviceDocument> {
  return { _id, hostId, fence, ...(job === undefined ? { job: { $exists: false } } : { 'job.id': job.id }) };
}

/** Returns the update that makes the change. */
export function toUpdate({
  gone,
  nextGeneration,
  deviceEvents,
  checkedAt,
  restored,
  ...fields
}: DeviceChange): UpdateFilter<DeviceDocument> {
  const set: Record<string, unknown> = {};
  const unset: Record<string, ''> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) unset[name] = '';
    else set[name] = value;
  }
  if (checkedAt !== undefined) set['job.checkedAt'] = checkedAt;
  if (restored === true) set['job.restored'] = true;
  if (gone === true) {
    set['gone'] = true;
    unset['nameKey'] = '';
    unset['slotKey'] = '';
  }
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
    ...(nextGeneration === true && { $inc: { generation: 1 } }),
    ...(deviceEvents !== undefined && { $push: { deviceEvents: { $each: deviceEvents } } }),
  };
}
