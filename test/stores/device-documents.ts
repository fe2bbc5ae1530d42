import type { DeviceDocument, Job } from '../../device-service/store/device-document.js';
import type { DeviceHandover } from '../../device-service/store/handover.js';
import type { DeviceLease } from '../../device-service/store/lease.js';
import { nameKey } from '../../device-service/store/devices.js';
import { deviceDocument } from '../../testing/device-document.js';
import { filled, first, idOf, minuteOf } from './tenants.js';

const job = (id: string): Job => ({ id, kind: 'start', createdAt: minuteOf(0), progress: 0 });

const leaseOf = (at: number): DeviceLease => ({
  ...{ id: idOf('lse', at), keyId: 'key_1', name: 'ci', atEnd: 'keep' },
  ...{ begunAt: minuteOf(at), expiresAt: minuteOf(at) },
});

const handoverOf = (at: number): DeviceHandover => ({
  ...{
    id: idOf('hnd', at),
    reason: 'Type the code',
    requestedBy: { id: 'key_1', name: 'ci' },
    shareId: idOf('shr', at),
  },
  ...{ begunAt: minuteOf(at), expiresAt: minuteOf(at) },
});

/**
 * Devices of all accounts on all hosts. Two of three run. One in six has a job at work on it. One in twelve has finished jobs that are not
 * filed, and one in twelve a health event. One in ten is gone, and one in five has a label. One in thirty is leased, one in thirty was, one in
 * thirty is of a pool, and one in thirty is handed over.
 */
export const devices = filled(({ at, number, accountId, hostId }): DeviceDocument => {
  const name = idOf('d', number);
  const runs = number % 3 !== 0;
  const isGone = number % 10 === 8;
  const problem = { kind: 'adb' as const, message: 'no response', since: minuteOf(at) };
  const device = deviceDocument({
    _id: idOf('ph', at),
    accountId,
    name,
    createdBy: `key_${number % 4}`,
    hostId,
    state: runs ? 'running' : 'stopped',
    wanted: runs ? 'running' : 'stopped',
    plan: number % 2 === 0 ? 'minute' : 'month',
    createdAt: minuteOf(at),
  });
  delete device.nameKey;
  return {
    ...device,
    ...(isGone ? { gone: true as const } : { nameKey: nameKey(accountId, name) }),
    ...(number % 4 === 1 && !isGone && { slot: name, slotKey: `${hostId}/attached/${idOf('slot', at)}` }),
    ...(number % 5 === 1 && { labels: ['team:qa'] }),
    ...(number % 7 === 1 && { idleStopS: 600 }),
    ...(runs && { startedAt: minuteOf(at) }),
    ...(number % 6 === 1 && {
      job: {
        ...job(idOf('job', at)),
        ...(number % 12 === 1 && { snapshot: idOf('snap', at) }),
        ...(number % 12 === 7 && { kind: 'move' }),
        ...(number % 24 === 13 && { template: idOf('tpl', at) }),
      },
    }),
    ...(number % 30 === 5 && { lease: leaseOf(at) }),
    ...(number % 30 === 10 && { lease: { ...leaseOf(at), ended: { at: minuteOf(at), reason: 'released' as const } } }),
    ...(number % 30 === 17 && {
      pool: { id: 'pool_1', name: 'ci', version: 1, jobId: idOf('job', at), readySince: minuteOf(at) },
      poolSlotKey: idOf('pool', at),
    }),
    ...(number % 30 === 29 && { handover: handoverOf(at) }),
    ...(number % 30 === 23 && { pool: { id: 'pool_2', name: 'new', version: 1, jobId: idOf('job', at) } }),
    ...(number % 30 === 4 && { leftAt: [{ hostId: 'host_1' }] }),
    ...(number % 12 === 2 && { finished: [job(idOf('job', at)), job(idOf('job', at + 1_000))] }),
    ...(number % 12 === 3 && {
      problem,
      deviceEvents: [{ id: idOf('evt', at), type: 'health.problem', at: minuteOf(at), problem }],
    }),
  };
});

const one = (is: (device: DeviceDocument) => boolean): DeviceDocument =>
  first(devices, (device) => device.accountId === 'acc_1' && device.hostId === 'host_1' && is(device));

const ofAccount = (is: (device: DeviceDocument) => boolean): DeviceDocument =>
  first(devices, (device) => device.accountId === 'acc_1' && is(device));

/** Nobody has the device, and no job is at work on it. */
const isPlain = ({ job: found, lease, pool, handover, gone }: DeviceDocument): boolean =>
  [found, lease, pool, handover, gone].every((one) => one === undefined);

export const idle = one((device) => device.state === 'running' && isPlain(device));
export const unused = one((device) => device.state === 'running' && isPlain(device) && device.idleStopS !== undefined);
export const atWork = one(({ job: found, gone }) => found?.snapshot !== undefined && gone !== true);
export const fromTemplate = one(({ job: found, gone }) => found?.template !== undefined && gone !== true);
export const unfiled = one(({ finished }) => finished !== undefined);
export const slotted = one(({ slotKey }) => slotKey !== undefined);
export const withEvent = one(({ deviceEvents }) => deviceEvents !== undefined);
export const leased = ofAccount(({ lease }) => lease !== undefined && lease.ended === undefined);
export const leaseOver = ofAccount(({ lease, job: atJob }) => lease?.ended !== undefined && atJob === undefined);
export const pooled = ofAccount(({ pool }) => pool !== undefined);
export const handedOver = ofAccount(({ handover, gone }) => handover !== undefined && gone !== true);
