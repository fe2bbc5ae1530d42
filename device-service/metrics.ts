import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import { Measurement } from '../kit/ops/measurement.js';
import type { DeviceStateWord, JobKindWord, JobOutcome } from './store/device-document.js';
import type { DeviceStore } from './store/devices.js';
import type { JobStore } from './store/jobs.js';

/** What an operator watches of devices and their jobs. */
export interface DeviceMetrics {
  jobFinished(job: { kind: JobKindWord; createdAt: Date }, outcome: JobOutcome): void;
}

/** Events that are counted at the most: more is no other news, and a count walks its index. */
const EVENTS_COUNTED = 10_000;

const noDevices: Record<DeviceStateWord, number> = {
  creating: 0,
  stopped: 0,
  starting: 0,
  running: 0,
  stopping: 0,
  deleting: 0,
  failed: 0,
};

const noJobs: Record<JobKindWord, number> = {
  create: 0,
  start: 0,
  stop: 0,
  restart: 0,
  delete: 0,
  restore: 0,
  clone: 0,
  install: 0,
  uninstall: 0,
  network: 0,
  rotate: 0,
  snapshot: 0,
};

/** Each instance reports the devices of its host, so that all instances together report all devices. */
export function deviceMetrics(options: {
  metrics: Registry;
  devices: DeviceStore;
  jobs: JobStore;
  hostId: string;
  /** Kinds of the jobs that this instance is at work on. */
  running: () => Iterable<JobKindWord>;
  clock: Clock;
  log: Log;
}): DeviceMetrics {
  const { metrics, devices, jobs, hostId, running } = options;
  const host = new Measurement({
    ...options,
    name: 'devices',
    measure: (signal) => devices.ofHost(hostId).countByState(signal),
  });
  host.gauge({
    name: 'devices',
    help: 'Devices of this host by state',
    labelNames: ['state'],
    samples: (groups) => {
      const counts = { ...noDevices };
      for (const { state, count } of groups) counts[state] += count;
      return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
    },
  });
  host.gauge({
    name: 'devices_with_problem',
    help: 'Devices of this host that need attention, by kind of problem',
    labelNames: ['problem'],
    samples: (groups) => {
      const counts = new Map<string, number>();
      for (const { problem, count } of groups) {
        if (problem !== undefined) counts.set(problem, (counts.get(problem) ?? 0) + count);
      }
      return [...counts].map(([problem, value]) => ({ labels: { problem }, value }));
    },
  });
  new Measurement({
    ...options,
    name: 'job_events',
    measure: (signal) => jobs.countEventPending(EVENTS_COUNTED, signal),
  }).gauge({
    name: 'job_events_pending',
    help: `Finished jobs, over all hosts, of which the webhook service has not been notified; counted up to ${EVENTS_COUNTED}`,
    samples: (pending) => pending,
  });
  new Gauge({
    name: 'jobs_running',
    help: 'Jobs that this instance is at work on, by kind',
    labelNames: ['kind'],
    registers: [metrics],
    collect() {
      const counts = { ...noJobs };
      for (const kind of running()) counts[kind]++;
      for (const [kind, value] of Object.entries(counts)) this.set({ kind }, value);
    },
  });
  const durations = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time from the acceptance of a job to its end',
    labelNames: ['kind', 'outcome'],
    buckets: [0.05, 0.2, 1, 5, 15, 60, 300, 1_800],
    registers: [metrics],
  });
  // From 0 on, so that the first failure of a kind is an increase and not a line that was not there before.
  for (const kind of Object.keys(noJobs)) for (const outcome of ['done', 'failed']) durations.zero({ kind, outcome });
  return {
    jobFinished: ({ kind, createdAt }, { state, finishedAt }) => {
      // The two times may be of two hosts' clocks.
      const ms = Math.max(0, finishedAt.getTime() - createdAt.getTime());
      durations.observe({ kind, outcome: state }, ms / 1_000);
    },
  };
}
