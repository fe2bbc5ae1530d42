import { ApiError } from '../../../kit/errors/api-error.js';
import { newJob } from '../../record/new-job.js';
import { withStateEvent } from '../../record/state-event.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { HostDocument } from '../../store/hosts.js';
import type { DevicesContext } from '../devices-context.js';
import { isAlive } from '../hosts/is-alive.js';
import { hasRoomFor } from '../hosts/place-phone.js';
import { assertMayBegin } from '../jobs/accept-job.js';
import { cannotMove } from './move-phone.js';

/** A request to move a device. */
export interface MoveRequest {
  to: string;
  /** Whether a running device is stopped for the move, and started again. */
  now: boolean;
  /** Who requests it, for the job. */
  requestedBy: string;
}

/** Accepts a job that moves a device to another host. Throws ApiError where the device or the host is not fit for that now. */
export async function acceptMove(
  context: DevicesContext,
  device: DeviceDocument,
  { to, now, requestedBy }: MoveRequest,
): Promise<DeviceDocument> {
  const { hosts, hostId, devices, dispatch, clock } = context;
  const target = await hosts.find(to);
  if (target === null || target.forgotten === true) throw new ApiError('not_found', `There is no host "${to}".`);
  if (to === device.hostId) throw new ApiError('bad_request', `The device "${device.name}" is on the host "${to}".`);
  assertMayBegin(device, 'move');
  if (device.state === 'running' && !now) {
    const message = `The device "${device.name}" is running. Stop it first, or have it stopped and started again: --now`;
    throw new ApiError('busy', message);
  }
  const reason =
    whyStays(device, await hosts.find(device.hostId)) ?? whyNot(target, device, { hostId, nowMs: clock.now() });
  if (reason !== undefined) throw reason;
  const job = newJob(clock, { kind: 'move', requestedBy, move: { from: device.hostId, to } });
  const change = device.state === 'running' ? { state: 'stopping' as const } : {};
  const claimed = await devices.claims.asRead(device, job, withStateEvent(device.state, change, clock.now()));
  if (claimed === undefined) {
    throw new ApiError('busy', `The device "${device.name}" has just been changed by others. Try again.`);
  }
  dispatch.begin(claimed);
  return claimed;
}

/** Returns why a device cannot leave its host; undefined when it can. */
export function whyStays(device: DeviceDocument, source: HostDocument | null): ApiError | undefined {
  const driver = source?.drivers.find(({ kind }) => kind === device.driver);
  if (driver === undefined) {
    return new ApiError(
      'unavailable',
      `The phones of the host "${device.hostId}" cannot be reached now. Try again later.`,
    );
  }
  if (driver.moves !== true) return new ApiError('bad_request', cannotMove(device.driver));
  if (device.made === true && device.problem?.kind !== 'data_lost') return undefined;
  return new ApiError('bad_request', `The device "${device.name}" has no phone on its host. It can only be deleted.`);
}

/** Returns why a host cannot have a device; undefined when it can. */
export function whyNot(
  target: HostDocument,
  device: DeviceDocument,
  { hostId, nowMs }: { hostId: string; nowMs: number },
): ApiError | undefined {
  const { _id: to } = target;
  const refuse = (message: string): ApiError => new ApiError('unavailable', `The host "${to}" ${message}`);
  if (!isAlive(target, hostId, nowMs)) return refuse('is silent. Start its service first.');
  if (target.draining === true) return refuse('is drained. To use it again: host drain --undo yes');
  if (target.url === undefined)
    return refuse('has no address for other hosts. Its service has to be started with one.');
  if (device.leftAt?.some(({ hostId: left }) => left === to) === true)
    return refuse('still has the old files of this phone, which it removes within a minute. Try again.');
  const driver = target.drivers.find(({ kind }) => kind === device.driver);
  const model = driver?.models.find((one) => one.model === device.model);
  if (driver === undefined || model === undefined || driver.moves !== true)
    return new ApiError('bad_request', `The host "${to}" has no phones of the model "${device.model}".`);
  const diskMb = (device.storageBytes ?? 0) / MIB;
  return hasRoomFor(driver, model, diskMb) ? undefined : refuse('has too little memory or disk for this phone.');
}

const MIB = 1024 * 1024;
