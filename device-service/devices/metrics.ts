import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { Measurement } from '../../kit/ops/measurement.js';
import { wordsOf } from '../../kit/text/wire-words.js';
import { DeviceStateSchema } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { transitions } from '../record/transitions.js';
import type { JobKindWord, JobOutcome } from '../store/device-document.js';
import type { DeviceStore } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';

/** Metrics of devices and their jobs, for the operator. */
export interface DeviceMetrics {
  jobFinished(job: { kind: JobKindWord; createdAt: Date }, outcome: JobOutcome): void;
}

/** Most events that are counted: a higher count would be no news to the operator, and counting walks the index. */
const EVENTS_COUNTED = 10_000;

const jobKinds = Object.keys(transitions);
const deviceStates = wordsOf(DeviceStateSchema);

/** Creates the metrics. Each instance reports the devices of its host, so that all instances together report all devices. */
export function deviceMetrics(options: {
  metrics: Registry;
  devices: DeviceStore;
  jobs: JobStore;
  hostId: string;
  /** Returns the kinds of the jobs that this instance is at work on. */
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
      const countOf = (wanted: string): number =>
        groups.reduce((sum, { state, count }) => (state === wanted ? sum + count : sum), 0);
      return deviceStates.map((state) => ({ labels: { state }, value: countOf(state) }));
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
      for (const kind of jobKinds) this.set({ kind }, 0);
      for (const kind of running()) this.inc({ kind });
    },
  });
  const durations = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time from the acceptance of a job to its end',
    labelNames: ['kind', 'outcome'],
    buckets: [0.05, 0.2, 1, 5, 15, 60, 300, 1_800],
    registers: [metrics],
  });
  // Each series exists from 0 on, so that the first failure of a kind is an increase and not a new series.
  for (const kind of jobKinds) for (const outcome of ['done', 'failed']) durations.zero({ kind, outcome });
  return {
    jobFinished: ({ kind, createdAt }, { state, finishedAt }) => {
      // The two times may come from the clocks of two hosts.
      const ms = Math.max(0, finishedAt.getTime() - createdAt.getTime());
      durations.observe({ kind, outcome: state }, ms / 1_000);
    },
  };
}
