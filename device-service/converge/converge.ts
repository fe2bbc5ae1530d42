import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { isCleared, withDeviceEvents } from '../health/problems.js';
import type { JobFailure } from '../jobs/job-failure.js';
import { finishedJob, newJob } from '../jobs/new-job.js';
import type { WorkDone } from '../jobs/worker.js';
import type { Job, JobOutcome } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { type BooksParts, keepBooks, unbookedChange } from './books.js';
import type { FailedRepairs } from './failed-repairs.js';
import type { MissedPhones } from './missed-phones.js';
import { type Decision, type Observation, reconcile } from './reconcile.js';
import { type Limits, perform, type PerformParts } from './perform.js';

export interface ConvergeParts extends PerformParts, Omit<BooksParts, 'snapshots'> {
  devices: DeviceStore;
  /** Read for each decision: the phone may be missed during a step. */
  missed: MissedPhones;
  failedRepairs: FailedRepairs;
  /** Called when a device without a job has got health events to publish. */
  onDeviceEvents: () => void;
  clock: Clock;
  log: Log;
}

/** The facts of one pass over a device, see Moment in reconcile.ts. */
export interface Facts {
  begunMs: number;
  failure?: JobFailure | undefined;
}

/** A job that has ended, with its device as it was before the update that ended it. */
export interface EndedJob {
  device: DeviceDocument;
  job: Job;
  change: DeviceChange;
}

/**
 * Performs the steps and writes the changes that `reconcile` returns, until the device is as recorded, its job has ended, or a job of the
 * service's own has begun on it. Returns undefined when the device is no longer this process's.
 */
export async function converge(
  parts: ConvergeParts,
  given: DeviceDocument,
  known: Observation | undefined,
  facts: Facts,
  limits: Limits,
): Promise<{ device: DeviceDocument; ended?: EndedJob } | undefined> {
  const { devices, clock } = parts;
  let device = given;
  let observed = known;
  let worked: WorkDone = {};
  for (;;) {
    const decision = reconcile(device, observed, {
      ...facts,
      missedMs: parts.missed.sinceMs(device._id),
      nowMs: clock.now(),
    });
    if (device.job === undefined) logRepair(parts.log, device, observed, decision);
    if ('step' in decision) {
      const step = perform(parts, decision.step, device, observed, limits);
      const isRepair = device.job === undefined;
      ({ observed, worked } = await (isRepair ? parts.failedRepairs.watch(device, step, limits.signal) : step));
      continue;
    }
    const { begin, end } = decision;
    if (isNothing(decision)) return { device };
    const unbooked = await keepBooks(parts, device, decision, limits.signal);
    if (end === 'done' && device.job?.work === undefined) {
      const endpoint = observed?.state === 'running' ? observed.endpoint : undefined;
      const result = await parts.snapshots.finish(device, endpoint, limits.signal);
      if (result !== undefined) worked = { result };
    }
    const whole = {
      ...decision.change,
      ...worked.change,
      ...(begin !== undefined && { job: newJob(clock, { kind: begin }) }),
      ...(unbooked !== undefined && unbookedChange(device, unbooked, clock.now())),
    };
    // Of a job's end that was refused before. A change of the problem by the end itself comes first.
    const ended = end !== undefined && isCleared(device.problem, 'ended') ? { problem: null, ...whole } : whole;
    const change = withDeviceEvents(device, ended, clock.now());
    if (end !== undefined) {
      const job = finishedJob(device.job as Job, outcomeOf(end, worked.result, clock.now()));
      return (await devices.finish(device, job, change)) ? { device, ended: { device, job, change } } : undefined;
    }
    const changed = await devices.change(device, change);
    if (changed === undefined) return undefined;
    if (change.deviceEvents !== undefined) parts.onDeviceEvents();
    device = changed;
    if (begin !== undefined) return { device };
  }
}

export function isNothing(decision: Decision): boolean {
  if ('step' in decision) return false;
  return decision.end === undefined && decision.begin === undefined && Object.keys(decision.change).length === 0;
}

function outcomeOf(end: 'done' | JobFailure, result: JobOutcome['result'], nowMs: number): JobOutcome {
  const finishedAt = new Date(nowMs);
  if (end !== 'done') return { state: 'failed', finishedAt, error: end.error };
  return { state: 'done', finishedAt, ...(result !== undefined && { result }) };
}

function logRepair(log: Log, device: DeviceDocument, observed: Observation | undefined, decision: Decision): void {
  if (isNothing(decision) || ('change' in decision && Object.keys(decision.change).join() === 'lostAt')) return;
  const facts = { device: device.name, found: observed?.state, recorded: device.state };
  if ('change' in decision && decision.begin !== undefined)
    log.info(facts, 'a phone is started again, as it ran before');
  else log.warn({ ...facts, ...decision }, 'a phone is not as recorded');
}
