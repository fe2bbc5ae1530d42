import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { EndedJob } from '../converge/do-job.js';
import { problemSince } from '../converge/device-run.js';
import { finishedJob } from '../converge/job-result.js';
import { withHealthEvents } from '../health/problem-change.js';
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
  const problem = problemSince({ kind: 'host_away', message }, nowMs);
  const change: DeviceChange =
    device.startedAt !== undefined
      ? { state: 'running', wanted: 'running', problem }
      : { state: 'failed', wanted: 'stopped', problem };
  const error = { error: 'unavailable' as const, message };
  return {
    outcome: { state: 'failed', finishedAt: new Date(nowMs), error },
    change: withHealthEvents(device, change, nowMs),
  };
}
