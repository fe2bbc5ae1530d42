import { createId } from '../../kit/text/ids.js';
import type { DeviceChange } from '../store/device-change.js';
import type { DeviceStateWord, StateEvent } from '../store/device-document.js';

/**
 * Adds to `change` the event of the device's new state, which is written in the same update. `before` is the state before the change;
 * undefined: any other state. A deletion has no such event, as its job has one.
 */
export function withStateEvent(before: DeviceStateWord | undefined, change: DeviceChange, nowMs: number): DeviceChange {
  const { state, gone, deviceEvents = [] } = change;
  if (state === undefined || state === before || gone === true) return change;
  return { ...change, deviceEvents: [...deviceEvents, stateEvent(state, nowMs)] };
}

export function stateEvent(state: DeviceStateWord, nowMs: number): StateEvent {
  return { id: createId('evt', nowMs), type: 'device.state', at: new Date(nowMs), state };
}
