import pLimit from 'p-limit';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { unlessAborted } from '../../kit/within.js';
import { CHECKS_AT_ONCE, CHECKS_TO_BE_SURE } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { CheckPhone } from './check-phone.js';
import type { Finding, FindingKind } from './finding.js';
import { withHealthEvents } from './problem-change.js';

export interface HealthWatchOptions {
  devices: DeviceStore;
  hostId: string;
  check: CheckPhone;
  /** Called when a device has got health events to publish. */
  onHealthEvents: () => void;
  clock: Clock;
  log: Log;
}

/** Kinds of problems that these checks record and remove; others (a failed boot, the balance) are removed where they end. */
const OWN_KINDS: readonly string[] = ['adb', 'identity', 'boot', 'storage', 'screen', 'exit'] satisfies FindingKind[];

/**
 * Checks every running phone of this host regularly. A problem is recorded when two checks in a row found the same, and removed when two
 * in a row did not, so that one slow response changes nothing. The results of earlier checks are in memory only: after a restart two
 * checks are needed again. Nothing is reported twice, since the problem itself is in the database.
 */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  /** How often in a row a phone was found as it is now, by phone. */
  readonly #looks = new Map<string, { kind: string | undefined; times: number }>();

  constructor(options: HealthWatchOptions) {
    this.#options = options;
  }

  /**
   * Checks every running phone once; a check that fails is made again in the next round. When the signal aborts, checks under way are not
   * waited for, and nothing is written.
   */
  async checkPhones(signal: AbortSignal): Promise<void> {
    const { devices, hostId, log } = this.#options;
    const running = await devices.ofHost(hostId).find(['running']);
    const alive = new Set(running.map(({ _id }) => _id));
    for (const phoneId of this.#looks.keys()) if (!alive.has(phoneId)) this.#looks.delete(phoneId);
    const limit = pLimit(CHECKS_AT_ONCE);
    await Promise.all(
      running.map((device) =>
        limit(() => this.#look(device, signal)).catch((error: unknown) => {
          if (signal.aborted) return;
          log.warn({ phone: device._id, err: error }, 'could not check the health of a phone');
        }),
      ),
    );
  }

  async #look(device: DeviceDocument, signal: AbortSignal): Promise<void> {
    if (device.endpoint === undefined || device.job !== undefined) return;
    signal.throwIfAborted();
    const { _id: phoneId, endpoint, exit } = device;
    const finding = await unlessAborted(signal, this.#options.check({ phoneId, endpoint, exit }));
    const last = this.#looks.get(device._id);
    const times = last !== undefined && last.kind === finding?.kind ? last.times + 1 : 1;
    this.#looks.set(device._id, { kind: finding?.kind, times });
    if (times >= CHECKS_TO_BE_SURE) await this.#write(device, finding);
  }

  async #write(device: DeviceDocument, finding: Finding): Promise<void> {
    const { devices, clock, onHealthEvents, log } = this.#options;
    const known = device.problem;
    // A problem that was recorded elsewhere is removed there.
    if (known?.kind === finding?.kind || (known !== undefined && !OWN_KINDS.includes(known.kind))) return;
    const now = clock.now();
    const problem = finding === undefined ? null : { ...finding, since: new Date(now) };
    if (!(await devices.changeIdle(device, withHealthEvents(device, { problem }, now)))) return;
    log.info({ device: device.name, found: finding?.kind, before: known?.kind }, 'health changed');
    onHealthEvents();
  }
}
