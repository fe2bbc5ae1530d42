import { GROUP_LIMIT_MS } from '../limits.js';
import { MAX_TAKEOVERS } from '../../devices/limits.js';
import type { JobOutcome } from '../../store/device-document.js';
import type { GroupDevice, GroupDocument } from '../../store/groups.js';

/** The reason why a group ends before its steps are done, for its customer. */
export class GroupFailure extends Error {
  override name = 'GroupFailure';
  constructor(
    readonly error: NonNullable<JobOutcome['error']>,
    options?: ErrorOptions,
  ) {
    super(error.message, options);
  }
}

/** Returns the failure of a group that must not be begun again; undefined when it may be. */
export function failureBeforeRun(group: GroupDocument, nowMs: number): GroupFailure | undefined {
  if (nowMs >= deadlineMs(group)) return overdue(group);
  return (group.takeovers ?? 0) > MAX_TAKEOVERS ? givenUp(group) : undefined;
}

/** Returns the time until which the group may run, ms since the epoch. */
export function deadlineMs({ createdAt }: Pick<GroupDocument, 'createdAt'>): number {
  return createdAt.getTime() + GROUP_LIMIT_MS;
}

export function overdue({ _id }: Pick<GroupDocument, '_id'>): GroupFailure {
  const message = `The group had not ended after ${GROUP_LIMIT_MS / 3_600_000} hours, so it was broken off. ${toGoOn(_id)}`;
  return new GroupFailure({ error: 'timeout', message });
}

/** Returns the failure of a group whose steps this release cannot read, as when a later release stored new kinds of steps. */
export function unreadable(cause: unknown): GroupFailure {
  const message =
    'The service cannot read the steps of the group, which another release of it stored. Create the group again.';
  return new GroupFailure({ error: 'unavailable', message }, { cause });
}

/** Returns the failure of a group at which several processes ended. The group would probably end the next process too. */
function givenUp({ _id, takeovers }: Pick<GroupDocument, '_id' | 'takeovers'>): GroupFailure {
  const message =
    `The group broke off ${takeovers} times because the service ended or failed at it, so it was given up. ` +
    `${toGoOn(_id)} If it persists, give the operator the id of this group.`;
  return new GroupFailure({ error: 'internal', message });
}

function toGoOn(id: string): string {
  return `Create a group of the devices that are not done: GET /v1/groups/${id} shows each.`;
}

/** Returns the devices of a group that ends by a failure. A step that was under way has failed, and no other step is begun. */
export function devicesAfter({ error }: GroupFailure, devices: readonly GroupDevice[]): GroupDevice[] {
  return devices.map((device) => {
    if (device.state === 'running') return { ...device, state: 'failed', error };
    return device.state === 'waiting' ? { ...device, state: 'skipped' } : device;
  });
}
