import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import { problemSince, withDeviceEvents } from '../../record/problems.js';
import type { Clock } from '../../../kit/async/clock.js';
import { MAX_REPAIR_TRIES } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';

/**
 * Counts the failures in a row of the step that repairs a phone, and reports many as a problem of the phone's device. The step is `stop`,
 * for a phone that is on although it is to be off, or whose boot does not end. The counts are in memory only: after a restart the
 * tries begin anew.
 */
export class FailedRepairs {
  readonly #parts: { devices: DeviceStore; onDeviceEvents: () => void; clock: Clock };
  readonly #failures = new Map<string, number>();

  constructor(parts: { devices: DeviceStore; onDeviceEvents: () => void; clock: Clock }) {
    this.#parts = parts;
  }

  /** Returns whether the step failed often enough to be reported as a problem. */
  isReported(phoneId: string): boolean {
    return (this.#failures.get(phoneId) ?? 0) >= MAX_REPAIR_TRIES;
  }

  /** Clears the count of a phone whose observed state matches its device's record. */
  delete(phoneId: string): void {
    this.#failures.delete(phoneId);
  }

  /** Returns the result of the step, and counts its failures. An unavailable database is no failure of the phone. */
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
