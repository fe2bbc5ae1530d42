import { deviceDocument } from './device-document.js';
import type { ProblemKind } from '../device-service/store/problem-kinds.js';
import { STEADY_RUN_MS } from '../device-service/devices/limits.js';
import type { DeviceDocument, Job, JobKindWord } from '../device-service/store/device-document.js';
import type { Decision, Moment, Observation } from '../device-service/devices/converge/decision.js';

// Documents, observations and decisions in words, for the tests of decisions for devices (device-service/devices/converge).

export const NOW_MS = Date.UTC(2026, 0, 15, 9, 30);
export const LOST_MS = NOW_MS - 2_000;
export const at = (more: Partial<Moment> = {}): Moment => ({ nowMs: NOW_MS, begunMs: NOW_MS - 86_400_000, ...more });
export const problem = (kind: ProblemKind) => ({ kind, message: 'as before', since: new Date(0) });
export const job = (kind: JobKindWord, more: Partial<Job> = {}): Job => ({
  id: 'job_1',
  kind,
  createdAt: new Date(NOW_MS - 1_000),
  progress: 0,
  ...more,
});
export const endpoint = { host: '127.0.0.1', port: 1, identity: 'SERIAL/1' };
export const OBSERVATIONS = {
  absent: { state: 'absent' },
  broken: { state: 'broken', problem: 'Its disk is gone.' },
  stopped: { state: 'stopped' },
  starting: { state: 'starting' },
  same: { state: 'running', endpoint },
  other: { state: 'running', endpoint: { ...endpoint, identity: 'SERIAL/2' } },
} as const satisfies Record<string, Observation>;

export const checkedAt = new Date(NOW_MS - 500);
export const neverMade = (device: DeviceDocument): DeviceDocument => {
  const others = { ...device };
  delete others.made;
  return others;
};
export const creating = (wanted: 'running' | 'stopped', one: Job): DeviceDocument =>
  neverMade(deviceDocument({ state: 'creating', wanted, job: one }));
/**
 * The fields of two runs after the loss of their phone was written. The end of `steady` counts as an accident; `short` is too short for
 * that.
 */
export const runs = { lostAt: new Date(LOST_MS) };
export const steady = { ...runs, startedAt: new Date(NOW_MS - STEADY_RUN_MS) };
export const short = { ...runs, startedAt: new Date(NOW_MS - STEADY_RUN_MS + 1) };

/** Returns a decision in words: the step; or else the end of the job, the values of changed fields, and the problem. */
export function words(decision: Decision): string {
  if ('step' in decision) return decision.step;
  const { change, end, begin, endMs } = decision;
  const parts = [
    end === 'done' ? 'done' : end !== undefined && 'failed',
    begin !== undefined && `begin ${begin}`,
    change.state,
    change.wanted !== undefined && `wanted ${change.wanted}`,
    change.gone === true && 'gone',
    change.lostAt instanceof Date && 'lost',
    change.checkedAt !== undefined && 'checked',
    change.restored === true && 'restored',
    change.upgrade?.step !== undefined && `then ${change.upgrade.step}`,
    change.nextGeneration === true && change.startedAt === undefined && 'moved',
    change.problem === null ? 'well' : change.problem?.kind,
    endMs !== undefined && 'settled',
  ];
  return parts.filter((part) => typeof part === 'string').join(', ') || 'as recorded';
}

/** The decision in words for a phone that is gone. */
export const LOST = 'failed, failed, wanted stopped, data_lost';
