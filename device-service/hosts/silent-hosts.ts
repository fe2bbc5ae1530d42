import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { EndedJob } from '../converge/converge.js';
import { reconcile } from '../converge/reconcile.js';
import { withDeviceEvents } from '../health/problems.js';
import { JobFailure } from '../jobs/job-failure.js';
import { finishedJob } from '../jobs/new-job.js';
import { HOST_GONE_MS } from '../limits.js';
import type { JobOutcome } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { HostStore } from '../store/hosts.js';

export interface SilentHostParts {
  devices: DeviceStore;
  hosts: HostStore;
  onEnded: (ended: EndedJob) => void;
  clock: Clock;
  log: Log;
}

/**
 * Fails the jobs of hosts that have been silent for HOST_GONE_MS, so that callers need not wait for them. The hosts inspect their phones
 * when they come back, or are forgotten (forget-host.ts). Every host does this, once its own lease has been renewed for a while: after an
 * outage of the database all hosts look silent.
 */
export async function failJobsOfSilentHosts(parts: SilentHostParts): Promise<void> {
  const { devices, hosts, onEnded, clock, log } = parts;
  const nowMs = clock.now();
  for (const { _id, seenAt } of await hosts.list()) {
    if (nowMs - seenAt.getTime() < HOST_GONE_MS) continue;
    for (const device of await devices.ofHost(_id).findAtWork()) {
      const { job } = device;
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
