import { release } from '../../accounts/billing/funds.js';
import { finishedJob, newJob } from '../../record/new-job.js';
import { withStateEvent } from '../../record/state-event.js';
import { transitions } from '../../record/transitions.js';
import type { DeviceDocument } from '../../store/devices.js';
import { acceptJob } from '../jobs/accept-job.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Accepts the deletion of a device for its customer or the operator. A device that fetches an image or a template need not wait for that.
 * Throws ApiError where another job is at work on the device.
 */
export async function acceptDelete(
  context: DevicesContext,
  device: DeviceDocument,
  requestedBy: string,
): Promise<DeviceDocument> {
  const replaced = await cancelPull(context, device, requestedBy);
  return replaced ?? acceptJob(context, device, { kind: 'delete', requestedBy });
}

/**
 * Deletes a device whose job fetches an image or a template, which may never end. One update ends that job and begins the deletion; the host that fetches
 * sees it within a second (converge/pull-first.ts). Returns undefined when the device has no such job.
 *
 * After a crash that follows the update, the next process does the deletion. The end of the job is published from the device's document,
 * and the hold on its first minute lapses.
 */
async function cancelPull(
  context: DevicesContext,
  device: DeviceDocument,
  requestedBy: string,
): Promise<DeviceDocument | undefined> {
  const { devices, dispatch, clock, log } = context;
  // A phone on its way to another host is where its job says.
  if (device.job?.phase === undefined || device.job.move !== undefined) return undefined;
  const nowMs = clock.now();
  const what = device.job.phase === 'copying' ? 'the files of its template were' : 'its image was';
  const message = `The device was deleted while ${what} being fetched.`;
  const finished = finishedJob(device.job, {
    state: 'failed',
    finishedAt: new Date(nowMs),
    error: { error: 'not_found', message },
  });
  const change = withStateEvent(device.state, { ...transitions.delete.change }, nowMs);
  const next = newJob(clock, { kind: 'delete', requestedBy });
  const replaced = await devices.replacePull(device, finished, next, change);
  if (replaced === undefined) return undefined;
  dispatch.begin(replaced);
  await release(context, replaced).catch((error: unknown) =>
    log.warn({ device: device.name, err: error }, 'the hold of a cancelled start is left to lapse'),
  );
  return replaced;
}
