import { isCleared, withDeviceEvents } from '../../record/problems.js';
import { MAX_LATE_RETRY_MS } from '../limits.js';
import { SWEEP_MS } from '../../record/limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import { settleCharge } from './settle-charges.js';
import type { ConvergeContext } from './converge-context.js';

/**
 * Completes the charges, snapshots and holds that ended runs and jobs left, oldest first. When all entries of a device are complete, its
 * problem `bookkeeping` ends too. After a crash, an entry may be completed twice, which changes nothing. When the device is deleted
 * meanwhile, its open entries are in the log only.
 */
export class PendingCharges {
  readonly #context: ConvergeContext;
  /** The time at which each phone's next try is due, and the pause that follows if that try fails. */
  readonly #next = new Map<string, { dueMs: number; pauseMs: number }>();

  constructor(context: ConvergeContext) {
    this.#context = context;
  }

  /** Tries each device that has open entries and whose pause is over. `idle` has the devices without a job. Never throws. */
  async tryAgain(idle: readonly DeviceDocument[], signal: AbortSignal): Promise<void> {
    const late = idle.filter(({ unbooked, gone }) => unbooked !== undefined && gone !== true);
    const known = new Set(late.map(({ _id }) => _id));
    for (const phoneId of this.#next.keys()) if (!known.has(phoneId)) this.#next.delete(phoneId);
    for (const device of late) {
      const { clock, log } = this.#context;
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
        const longerMs = Math.min(pauseMs * 2, MAX_LATE_RETRY_MS);
        this.#next.set(device._id, { dueMs: clock.now() + pauseMs, pauseMs: longerMs });
      }
    }
  }

  async #complete(device: DeviceDocument, signal: AbortSignal): Promise<void> {
    const { devices, clock, onDeviceEvents } = this.#context;
    for (const { release, ...due } of device.unbooked ?? []) {
      // If the phone runs or starts again, its hold belongs to the new run. Then the hold is not released.
      const hasHold = release === true && device.startedAt === undefined && device.state !== 'starting';
      await settleCharge(this.#context, device, { ...due, ...(hasHold && { release }) }, signal);
    }
    const isOver = isCleared(device.problem, 'booked');
    const change = withDeviceEvents(device, { unbooked: null, ...(isOver && { problem: null }) }, clock.now());
    // A device that was changed meanwhile is read again, and its entries are completed again.
    if (await devices.changeIdle(device, change)) onDeviceEvents();
  }
}
