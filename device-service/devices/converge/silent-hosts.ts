import { reconcile } from './reconcile.js';
import { withDeviceEvents } from '../../record/problems.js';
import { JobFailure } from '../jobs/job-failure.js';
import type { EndedJob } from '../../record/ended-job.js';
import { finishedJob } from '../../record/new-job.js';
import { HOST_GONE_MS } from '../limits.js';
import type { JobOutcome } from '../../store/device-document.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Fails the jobs of hosts that have been silent for HOST_GONE_MS, so that callers need not wait for them. Those hosts inspect their
 * phones when they come back, or are forgotten (forget-host.ts). Every host does this, but only after its own lease has been renewed for
 * a while. After an outage of the database, all hosts look silent.
 */
export async function failJobsOfSilentHosts(
  { devices, hosts, clock, log }: Pick<DevicesContext, 'devices' | 'hosts' | 'clock' | 'log'>,
  onEnded: (ended: EndedJob) => void,
): Promise<void> {
  const nowMs = clock.now();
  for (const { _id, seenAt } of await hosts.list()) {
    if (nowMs - seenAt.getTime() < HOST_GONE_MS) continue;
    for (const device of await devices.ofHost(_id).findAtWork()) {
      const { job } = device;
      // A phone with a copy beside it goes on, or goes back, when its host is there again. Nobody else knows which data counts.
      if (job?.upgrade !== undefined && job.checkedAt !== undefined) continue;
      // A phone that was given to this host has its newest data there, in the copy that only the job puts in its place.
      if (job?.move?.arrived === true) continue;
      if (job === undefined || nowMs - job.createdAt.getTime() < HOST_GONE_MS) continue;
      const { outcome, change } = givenUp(device, nowMs);
      const finished = finishedJob(job, outcome);
      if (!(await devices.finish(device, finished, change))) continue;
      log.warn({ job: job.id, device: device.name, host: _id }, 'failed a job of a silent host');
      onEnded({ device, job: finished, change });
    }
  }
}

function givenUp(device: DeviceDocument, nowMs: number): { outcome: JobOutcome; change: DeviceChange } {
  const minutes = HOST_GONE_MS / 60_000;
  const message = `The host of this phone has not been heard of for ${minutes} minutes. Try again when it is back.`;
  const failure = new JobFailure({ error: 'unavailable', message }, 'host_away');
  const decision = reconcile(device, undefined, { nowMs, begunMs: nowMs, failure });
  const change = 'change' in decision ? decision.change : {};
  return {
    outcome: { state: 'failed', finishedAt: new Date(nowMs), error: failure.error },
    change: withDeviceEvents(device, change, nowMs),
  };
}
