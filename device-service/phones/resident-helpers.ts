import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import type { HelperService } from '../../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { LEND_MS, RELEASE_HELPERS_MS } from '../limits.js';
import type { DeviceDocument } from '../store/device-document.js';
import type { DeviceStore } from '../store/devices.js';

export interface ResidentHelpersParts {
  devices: Pick<DeviceStore, 'lend'>;
  /** The screen service, which runs the helpers. Absent: nothing runs. */
  screen: Client<typeof HelperService> | undefined;
  /** RESIDENT_HELPERS. */
  isOn: boolean;
  clock: Clock;
  log: Log;
}

/** Decides where the screen service's helper programs may run. */
export class ResidentHelpers {
  readonly #parts: ResidentHelpersParts;

  constructor(parts: ResidentHelpersParts) {
    this.#parts = parts;
  }

  /**
   * Whether they may be on the phone and run now: not on an operator's phone that PHONES_FILE does not allow them on, not while customers' ADB
   * clients use it, and not while a snapshot is taken, which would contain them.
   */
  mayRun({ slot, endpoint, adbLentUntil, job }: DeviceDocument): boolean {
    const { isOn, clock } = this.#parts;
    if (!isOn || (slot !== undefined && endpoint?.helpers !== true)) return false;
    return (adbLentUntil === undefined || adbLentUntil.getTime() <= clock.now()) && job?.work?.kind !== 'snapshot';
  }

  /** Lends phones to customers' ADB clients; resolves when no helper runs on them. */
  async lend(phoneIds: readonly string[]): Promise<void> {
    const { devices, clock } = this.#parts;
    // Also where no helper may run: it is a use of the phone. First: else a request between both steps would start them again.
    await devices.lend(phoneIds, new Date(clock.now() + LEND_MS));
    await this.release(phoneIds);
  }

  /** Ends the helpers on phones. A screen service that does not respond has no phone to itself either: that is logged, and nothing waits for it. */
  async release(phoneIds: readonly string[]): Promise<void> {
    const { isOn, screen, log } = this.#parts;
    if (!isOn || screen === undefined) return;
    try {
      await screen.releaseHelpers({ phoneIds: [...phoneIds] }, { timeoutMs: RELEASE_HELPERS_MS });
    } catch (error) {
      log.warn({ err: error, phones: phoneIds }, 'the helpers on phones could not be ended');
    }
  }
}
