import type { Clock } from '../../kit/clock.js';
import { isCleared, withDeviceEvents } from '../health/problems.js';
import { LATE_RETRY_MOST_MS, SWEEP_MS } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { book, type BooksParts } from './books.js';

export interface LateBooksParts extends BooksParts {
  devices: DeviceStore;
  onDeviceEvents: () => void;
  clock: Clock;
}

/**
 * Completes the accounts of runs and jobs that ended without them, oldest first, and ends the problem `bookkeeping` with the last one.
 * A crash after an account has it completed again, which changes nothing. Those of a device that is deleted meanwhile are in the log only.
 */
export class LateBooks {
  readonly #parts: LateBooksParts;
  /** When each phone's next try is due, and the pause after it. */
  readonly #next = new Map<string, { dueMs: number; pauseMs: number }>();

  constructor(parts: LateBooksParts) {
    this.#parts = parts;
  }

  /** Tries the devices that have such accounts and whose pause is over. `idle`: those without a job. Never throws. */
  async tryAgain(idle: readonly DeviceDocument[], signal: AbortSignal): Promise<void> {
    const late = idle.filter(({ unbooked, gone }) => unbooked !== undefined && gone !== true);
    const known = new Set(late.map(({ _id }) => _id));
    for (const phoneId of this.#next.keys()) if (!known.has(phoneId)) this.#next.delete(phoneId);
    for (const device of late) {
      const { clock, log } = this.#parts;
      const { dueMs, pauseMs } = this.#next.get(device._id) ?? { dueMs: 0, pauseMs: SWEEP_MS };
      if (clock.now() < dueMs || signal.aborted) continue;
      try {
        await this.#complete(device, signal);
        this.#next.delete(device._id);
      } catch (error) {
        log.warn(
          { device: device.name, err: error },
          'the account of a run or job is still not complete; trying again',
        );
        const longerMs = Math.min(pauseMs * 2, LATE_RETRY_MOST_MS);
        this.#next.set(device._id, { dueMs: clock.now() + pauseMs, pauseMs: longerMs });
      }
    }
  }

  async #complete(device: DeviceDocument, signal: AbortSignal): Promise<void> {
    const { devices, clock, onDeviceEvents } = this.#parts;
    for (const { release, ...due } of device.unbooked ?? []) {
      // The hold of a phone that runs again is that of its present run.
      const hasHold = release === true && device.startedAt === undefined && device.state !== 'starting';
      await book(this.#parts, device, { ...due, ...(hasHold && { release }) }, signal);
    }
    const isOver = isCleared(device.problem, 'booked');
    const change = withDeviceEvents(device, { unbooked: null, ...(isOver && { problem: null }) }, clock.now());
    // A device that was changed meanwhile is read again, and its accounts completed again.
    if (await devices.changeIdle(device, change)) onDeviceEvents();
  }
}
