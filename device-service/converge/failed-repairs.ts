import type { Clock } from '../../kit/clock.js';
import { databaseUnavailable } from '../../kit/database-unavailable.js';
import { problemSince, withDeviceEvents } from '../health/problems.js';
import { MOST_REPAIR_TRIES } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';

export interface FailedRepairsParts {
  devices: DeviceStore;
  onDeviceEvents: () => void;
  clock: Clock;
}

/**
 * Counts how often in a row the step that repairs a phone failed, and reports it as a problem of its device: that step is `stop`, of a phone
 * that runs though it is to be off, or does not end its boot. In memory only: after a restart the tries begin anew.
 */
export class FailedRepairs {
  readonly #parts: FailedRepairsParts;
  readonly #failures = new Map<string, number>();

  constructor(parts: FailedRepairsParts) {
    this.#parts = parts;
  }

  /** Whether the phone failed so often that its device has the problem. */
  isReported(phoneId: string): boolean {
    return (this.#failures.get(phoneId) ?? 0) >= MOST_REPAIR_TRIES;
  }

  /** The phone is as its device has it. */
  delete(phoneId: string): void {
    this.#failures.delete(phoneId);
  }

  /** Returns what the step returns, and counts its failures. A database that is away is no failure of the phone. */
  async watch<T>(device: DeviceDocument, step: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await step;
    } catch (error) {
      if (!signal.aborted && databaseUnavailable(error) === undefined) await this.#count(device);
      throw error;
    }
  }

  async #count(device: DeviceDocument): Promise<void> {
    const { devices, onDeviceEvents, clock } = this.#parts;
    this.#failures.set(device._id, (this.#failures.get(device._id) ?? 0) + 1);
    if (!this.isReported(device._id) || device.problem?.kind === 'not_stopped') return;
    const message =
      'The phone is to be off, or does not end its boot, and its host cannot stop it. It is tried again every 30 s; ' +
      'the operator finds the reason in the log.';
    const problem = problemSince({ kind: 'not_stopped', message }, clock.now());
    if (await devices.changeIdle(device, withDeviceEvents(device, { problem }, clock.now()))) onDeviceEvents();
  }
}
