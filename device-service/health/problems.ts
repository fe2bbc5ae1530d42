import { createId } from '../../kit/ids.js';
import { withStateEvent } from '../events/state-event.js';
import type { DeviceProblem, HealthEvent } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';
import { failedJob, type FindingKind, PROBLEMS, type Rule } from './problem-kinds.js';

export type PhoneProblem = Pick<DeviceProblem, 'kind' | 'message'>;

/** A fault of a phone and its description for the customer; undefined: the phone is healthy. */
export type Finding = { kind: FindingKind; message: string } | undefined;

/** Whether the event clears the problem. */
export function isCleared(problem: DeviceProblem | undefined, by: Rule['cleared'][number]): boolean {
  return problem !== undefined && ruleOf(problem).cleared.includes(by);
}

/** Returns the change of the problem that a device has when two health checks in a row found the same; undefined: none. */
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
 * Adds to `change` the events that its state and its problem cause; they are written in the same update: `device.state`; `health.problem`
 * when the device gets a problem of a kind that it did not have, `health.resolved` when it gets rid of one. `read` is the device as
 * the change found it.
 */
export function withDeviceEvents(read: DeviceDocument, change: DeviceChange, nowMs: number): DeviceChange {
  return withStateEvent(read.state, withHealthEvents(read, change, nowMs), nowMs);
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

/** The kind may be one that only an earlier release set. */
function ruleOf({ kind }: DeviceProblem): Rule {
  return (PROBLEMS as Record<string, Rule>)[kind] ?? failedJob;
}
