import { begunAhead } from '../../../kit/async/begun-ahead.js';
import type { Log } from '../../../kit/log/log.js';
import { isCleared, withDeviceEvents } from '../../record/problems.js';
import type { EndedJob } from '../../record/ended-job.js';
import type { JobFailure } from '../jobs/job-failure.js';
import { finishedJob, newJob } from '../../record/new-job.js';
import type { WorkDone } from '../jobs/worker.js';
import type { Job, JobOutcome } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { settleCharges, pendingChargeChange } from './settle-charges.js';
import type { Decision, Observation } from './decision.js';
import { reconcile } from './reconcile.js';
import { type Limits, perform } from './perform.js';
import type { ConvergeContext } from './converge-context.js';

/** The facts of one pass over a device. See Moment in reconcile.ts. */
export interface Facts {
  begunMs: number;
  failure?: JobFailure | undefined;
}

/**
 * Performs the steps and writes the changes that `reconcile` returns. Returns when the device is as recorded, its job has ended, or a new
 * job has begun. Returns undefined when this process no longer drives the device.
 */
export async function converge(
  context: ConvergeContext,
  given: DeviceDocument,
  known: Observation | undefined,
  facts: Facts,
  limits: Limits,
): Promise<{ device: DeviceDocument; ended?: EndedJob } | undefined> {
  const { devices, clock } = context;
  let device = given;
  let observed = known;
  let worked: WorkDone = {};
  for (;;) {
    const decision = reconcile(device, observed, {
      ...facts,
      missedMs: context.missed.sinceMs(device._id),
      nowMs: clock.now(),
    });
    if (device.job === undefined) logRepair(context.log, device, observed, decision);
    if ('step' in decision) {
      const step = begunAhead(perform(context, decision.step, device, observed, limits));
      const isRepair = device.job === undefined;
      ({ observed, worked } = await (isRepair ? context.failedRepairs.watch(device, step, limits.signal) : step));
      continue;
    }
    const { begin, end, result: found } = decision;
    if (isNothing(decision)) return { device };
    const unbooked = await settleCharges(context, device, decision, limits.signal);
    if (end === 'done' && device.job?.work === undefined) {
      const endpoint = observed?.state === 'running' ? observed.endpoint : undefined;
      const result = await context.jobSnapshots.finish(device, endpoint, limits.signal);
      if (result !== undefined) worked = { result };
    }
    const whole = {
      ...decision.change,
      ...worked.change,
      ...(begin !== undefined && { job: newJob(clock, { kind: begin }) }),
      ...(unbooked !== undefined && pendingChargeChange(device, unbooked, clock.now())),
    };
    // The reason `ended` clears a problem that was set when an earlier end of this job could not be written. A problem in `whole` has
    // precedence.
    const ended = end !== undefined && isCleared(device.problem, 'ended') ? { problem: null, ...whole } : whole;
    const change = withDeviceEvents(device, ended, clock.now());
    if (end !== undefined) {
      const job = finishedJob(device.job as Job, outcomeOf(end, worked.result ?? found, clock.now()));
      return (await devices.finish(device, job, change)) ? { device, ended: { device, job, change } } : undefined;
    }
    const changed = await devices.change(device, change);
    if (changed === undefined) return undefined;
    if (change.deviceEvents !== undefined) context.onDeviceEvents();
    if (changed.hostId !== context.hostId) return undefined;
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
