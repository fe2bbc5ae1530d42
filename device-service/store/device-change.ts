import type { Filter, UpdateFilter } from 'mongodb';
import type { DeviceDocument, DeviceEvent, Job, JobUpgrade } from './device-document.js';

/** Fields that an operation may change along with a device's state; `null` removes a field. */
export type DeviceChange = Partial<
  Pick<DeviceDocument, 'state' | 'wanted' | 'made' | 'exit' | 'minutes' | 'free' | 'android'>
> & {
  [K in 'endpoint' | 'startedAt' | 'lostAt' | 'problem' | 'unbooked']?: NonNullable<DeviceDocument[K]> | null;
} & {
  gone?: true;
  nextGeneration?: true;
  deviceEvents?: DeviceEvent[];
  /** A job that the service itself begins with the change. */
  job?: Job;
  /** The field `checkedAt` of the job at work, see Job. */
  checkedAt?: Date;
  restored?: true;
  /** The field `appsInstalled` of the job at work. */
  appsInstalled?: number;
  /** The phone is at this host, whose process drives it from now on. */
  movedTo?: { hostId: string; epoch: number };
  /** The field `refused` of the move. */
  moveRefused?: NonNullable<Job['move']>['refused'];
  /** Fields of the upgrade to change; the others stay. */
  upgrade?: Partial<JobUpgrade>;
  /** A host that still has the files of the phone, which has moved away. */
  leftAt?: string;
};

/**
 * Matches the device if this process may still change it: no other process has taken it, and its job is the one that was read. The fence is
 * the epoch of a host. Two hosts may have equal epochs, so the filter includes the host too.
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
  appsInstalled,
  movedTo,
  moveRefused,
  upgrade = {},
  leftAt,
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
  if (appsInstalled !== undefined) set['job.appsInstalled'] = appsInstalled;
  if (moveRefused !== undefined) set['job.move.refused'] = moveRefused;
  for (const [name, value] of Object.entries(upgrade)) set[`job.upgrade.${name}`] = value;
  if (movedTo !== undefined) {
    set['hostId'] = movedTo.hostId;
    set['fence'] = movedTo.epoch;
    set['job.move.arrived'] = true;
  }
  if (gone === true) {
    set['gone'] = true;
    unset['nameKey'] = '';
    unset['slotKey'] = '';
    unset['poolSlotKey'] = '';
    unset['lease'] = '';
    unset['handover'] = '';
  }
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
    ...(nextGeneration === true && { $inc: { generation: 1 } }),
    ...((deviceEvents !== undefined || leftAt !== undefined) && {
      $push: {
        ...(deviceEvents !== undefined && { deviceEvents: { $each: deviceEvents } }),
        ...(leftAt !== undefined && { leftAt: { hostId: leftAt } }),
      },
    }),
  };
}
