import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';
import type { HelperService } from '../../../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { LEND_MS, RELEASE_HELPERS_MS } from '../limits.js';
import type { DeviceDocument } from '../../store/device-document.js';
import type { DeviceStore } from '../../store/devices.js';

/** Decides where the screen service's helper programs may run. */
export class ResidentHelpers {
  /** `screen` is the screen service, which runs the helpers; absent: nothing runs. `isOn` is RESIDENT_HELPERS. */
  constructor(
    private readonly parts: {
      devices: Pick<DeviceStore, 'lend'>;
      screen: Client<typeof HelperService> | undefined;
      isOn: boolean;
      clock: Clock;
      log: Log;
    },
  ) {}

  /**
   * Returns whether helpers may run on the phone now. An operator's phone needs the permission of PHONES_FILE. No helper runs while
   * customers' ADB clients use the phone. None runs while a snapshot is taken either, as the snapshot would contain the helper.
   */
  mayRun({ slot, endpoint, adbLentUntil, job }: DeviceDocument): boolean {
    const { isOn, clock } = this.parts;
    if (!isOn || (slot !== undefined && endpoint?.helpers !== true)) return false;
    return (adbLentUntil === undefined || adbLentUntil.getTime() <= clock.now()) && job?.work?.kind !== 'snapshot';
  }

  /** Lends phones to customers' ADB clients. Resolves when the helpers on them were ended, or could not be ended. */
  async lend(phoneIds: readonly string[]): Promise<void> {
    const { devices, clock } = this.parts;
    // The loan is stored even where no helper may run, as it is a use of the phone. It is stored before the helpers are ended. Otherwise a
    // request in between could start the helpers again.
    await devices.lend(phoneIds, new Date(clock.now() + LEND_MS));
    await this.release(phoneIds);
  }

  /**
   * Ends the helpers on phones. A failure is logged and not thrown: if the screen service does not respond, its helpers do not work either.
   */
  async release(phoneIds: readonly string[]): Promise<void> {
    const { isOn, screen, log } = this.parts;
    if (!isOn || screen === undefined) return;
    try {
      await screen.releaseHelpers({ phoneIds: [...phoneIds] }, { timeoutMs: RELEASE_HELPERS_MS });
    } catch (error) {
      log.warn({ err: error, phones: phoneIds }, 'the helpers on phones could not be ended');
    }
  }
}
