import { ApiError } from '../../../kit/errors/api-error.js';
import { newJob } from '../../record/new-job.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';
import { isAlive } from '../hosts/is-alive.js';
import { assertMayBegin } from '../jobs/accept-job.js';
import { cannotUpgrade } from './upgrade-steps.js';

/** A request to give a device the image that its model has now. */
export interface UpgradeRequest {
  /** Whether a running device is stopped for it, and started again. */
  now: boolean;
  /** Who requests it, for the job. */
  requestedBy: string;
}

/**
 * Accepts a job that upgrades a device. Whether its image is another one is found by the job, on the host that has the models file. Throws
 * ApiError where the device or its host is not fit for that now.
 */
export async function acceptUpgrade(
  context: DevicesContext,
  device: DeviceDocument,
  { now, requestedBy }: UpgradeRequest,
): Promise<DeviceDocument> {
  const { devices, dispatch, clock } = context;
  assertMayBegin(device, 'upgrade');
  // First what cannot be mended: a device is not stopped for an upgrade that its kind of phone does not have.
  await assertCanUpgrade(context, device);
  if (device.state === 'running' && !now) {
    const message = `The device "${device.name}" is running. Stop it first, or have it stopped and started again: --now`;
    throw new ApiError('busy', message);
  }
  const job = newJob(clock, { kind: 'upgrade', requestedBy, upgrade: { step: 'fetch' } });
  const claimed = await devices.claims.asRead(device, job, {});
  if (claimed === undefined) {
    throw new ApiError('busy', `The device "${device.name}" has just been changed by others. Try again.`);
  }
  dispatch.begin(claimed);
  return claimed;
}

async function assertCanUpgrade({ hosts, hostId, clock }: DevicesContext, device: DeviceDocument): Promise<void> {
  const host = await hosts.find(device.hostId);
  const driver = host?.drivers.find(({ kind }) => kind === device.driver);
  if (host === null || driver === undefined || !isAlive(host, hostId, clock.now())) {
    const message = `The host "${device.hostId}" of the device "${device.name}" is silent. Start its service first.`;
    throw new ApiError('unavailable', message);
  }
  if (driver.upgrades !== true) throw new ApiError('bad_request', cannotUpgrade(device.driver));
  if (device.made === true && device.problem?.kind !== 'data_lost') return;
  throw new ApiError('bad_request', `The device "${device.name}" has no phone on its host. It can only be deleted.`);
}
