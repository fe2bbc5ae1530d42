import { createId } from '../../kit/text/ids.js';
import { withStateEvent } from './state-event.js';
import type { DeviceProblem, HealthEvent } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { failedJob, type FindingKind, PROBLEMS, type Rule } from '../store/problem-kinds.js';

/** Most times without charges that a device keeps. A run is charged within an hour, or by late bookkeeping within days. */
const MAX_FREE_TIMES = 50;

export type PhoneProblem = Pick<DeviceProblem, 'kind' | 'message'>;

/** A fault of a phone and its description for the customer; undefined: the phone is healthy. */
export type Finding = { kind: FindingKind; message: string } | undefined;

/** Returns whether the event clears the problem. */
export function isCleared(problem: DeviceProblem | undefined, by: Rule['cleared'][number]): boolean {
  return problem !== undefined && ruleOf(problem).cleared.includes(by);
}

/** Returns how the device's problem changes after two health checks in a row with the same result; undefined when it does not. */
export function changeByCheck(known: DeviceProblem | undefined, finding: Finding, nowMs: number) {
  if (known?.kind === finding?.kind) return undefined;
  if (finding === undefined) return isCleared(known, 'checks') ? { problem: null } : undefined;
  const hidden = known !== undefined && ruleOf(known).severity > PROBLEMS[finding.kind].severity;
  return hidden ? undefined : { problem: problemSince(finding, nowMs) };
}

export function problemSince(problem: PhoneProblem, nowMs: number): DeviceProblem {
  return { ...problem, since: new Date(nowMs) };
}

/**
 * Adds to `change` the events that its state and its problem cause, to be written in the same update. `device.state` is the event of a new
 * state. `health.problem` is the event of a problem of another kind than before. `health.resolved` is the event of the earlier problem,
 * which has ended or been replaced. `read` is the device before the change.
 */
export function withDeviceEvents(read: DeviceDocument, change: DeviceChange, nowMs: number): DeviceChange {
  return withStateEvent(read.state, withHealthEvents(read, withFreeTime(read, change, nowMs), nowMs), nowMs);
}

/** Keeps the time of a problem `identity` that ends, as its minutes are not charged (accounts/billing/free-minutes.ts). */
function withFreeTime(
  { problem: before, free = [] }: DeviceDocument,
  change: DeviceChange,
  nowMs: number,
): DeviceChange {
  const { problem } = change;
  if (before?.kind !== 'identity' || problem === undefined || problem?.kind === 'identity') return change;
  return { ...change, free: [...free, { from: before.since, to: new Date(nowMs) }].slice(-MAX_FREE_TIMES) };
}

function withHealthEvents(read: DeviceDocument, change: DeviceChange, nowMs: number): DeviceChange {
  const { problem } = change;
  const before = read.problem;
  if (problem === undefined || problem?.kind === before?.kind) return change;
  const events = [
    ...(before === undefined ? [] : [healthEvent('health.resolved', before, nowMs)]),
    ...(problem === null ? [] : [healthEvent('health.problem', problem, nowMs)]),
  ];
  return events.length === 0 ? change : { ...change, deviceEvents: events };
}

function healthEvent(type: HealthEvent['type'], problem: DeviceProblem, nowMs: number): HealthEvent {
  return { id: createId('evt', nowMs), type, at: new Date(nowMs), problem };
}

/** Returns the rule of a problem. A stored problem may have a kind that only earlier releases set. */
function ruleOf({ kind }: DeviceProblem): Rule {
  return (PROBLEMS as Record<string, Rule>)[kind] ?? failedJob;
}
