import { createId } from '../../kit/ids.js';
import type { DeviceProblem, HealthEvent } from '../store/device-document.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceDocument } from '../store/devices.js';

/**
 * Adds to `change` the events for webhooks that its problem causes; they are written in the same update: `health.problem`
 * when the device gets a problem of a kind that it did not have, `health.resolved` when it gets rid of one. `read` is the device as
 * the change found it.
 */
export function withHealthEvents(read: DeviceDocument, change: DeviceChange, nowMs: number): DeviceChange {
  const { problem } = change;
  const before = read.problem;
  if (problem === undefined || problem?.kind === before?.kind) return change;
  const events = [
    ...(before === undefined ? [] : [healthEvent('health.resolved', before, nowMs)]),
    ...(problem === null ? [] : [healthEvent('health.problem', problem, nowMs)]),
  ];
  return events.length === 0 ? change : { ...change, healthEvents: events };
}

function healthEvent(type: HealthEvent['type'], problem: DeviceProblem, nowMs: number): HealthEvent {
  return { id: createId('evt', nowMs), type, at: new Date(nowMs), problem };
}
