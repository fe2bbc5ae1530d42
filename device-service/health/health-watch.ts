import pLimit from 'p-limit';
import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { unlessAborted } from '../../kit/within.js';
import { CHECKS_AT_ONCE, CHECKS_TO_BE_SURE, SLOW_CHECKS_MOST } from '../limits.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { CheckPhone } from './check-phone.js';
import type { FindingKind } from './problem-kinds.js';
import { changeByCheck, type Finding, withDeviceEvents } from './problems.js';

export interface HealthWatchOptions {
  devices: DeviceStore;
  hostId: string;
  check: CheckPhone;
  /** Whether it is not known that the phone runs: a check of it may take its whole time. */
  isDoubtful: (device: DeviceDocument) => boolean;
  /** Called when a device has got health events to publish. */
  onDeviceEvents: () => void;
  clock: Clock;
  log: Log;
}

/** What a check finds where it got no response in time. */
const WAITED_FOR: ReadonlySet<string | undefined> = new Set<FindingKind>(['adb', 'exit']);

/**
 * Checks every running phone of this host regularly. A problem is recorded when two checks in a row found the same, and removed when two
 * in a row did not, so that one slow response changes nothing. The results of earlier checks are in memory only: after a restart two
 * checks are needed again. Nothing is reported twice, since the problem itself is in the database.
 */
export class HealthWatch {
  readonly #options: HealthWatchOptions;
  /** How often in a row a phone was found as it is now, by phone. */
  readonly #found = new Map<string, { kind: string | undefined; times: number }>();
  /** The phone of the last slow check: the next round goes on after it. */
  #lastSlow = '';

  constructor(options: HealthWatchOptions) {
    this.#options = options;
  }

  /**
   * Checks every running phone once; a check that fails is made again in the next round. Phones whose check takes its whole time take turns
   * from round to round where there are many, so that the others are checked in time. When the signal aborts, checks under way are not
   * waited for, and nothing is written.
   */
  async checkPhones(signal: AbortSignal): Promise<void> {
    const { devices, hostId, log } = this.#options;
    const running = await devices.ofHost(hostId).find(['running']);
    const alive = new Set(running.map(({ _id }) => _id));
    for (const phoneId of this.#found.keys()) if (!alive.has(phoneId)) this.#found.delete(phoneId);
    const check = (device: DeviceDocument): Promise<void> =>
      this.#checkPhone(device, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        log.warn({ phone: device._id, err: error }, 'could not check the health of a phone');
      });
    const [slowAtOnce, othersAtOnce] = [pLimit(CHECKS_AT_ONCE), pLimit(CHECKS_AT_ONCE)];
    const slow = new Set(running.filter((device) => this.#isSlow(device)));
    const others = running.filter((device) => !slow.has(device));
    await Promise.all([
      ...this.#turnOf([...slow]).map((device) => slowAtOnce(check, device)),
      // One that became doubtful while it waited is left to the next round.
      ...others.map((device) => othersAtOnce(async () => (this.#isSlow(device) ? undefined : check(device)))),
    ]);
  }

  /** Whether a check of the phone probably waits for as long as it may: it did so the last time, or its driver does not know the state. */
  #isSlow(device: DeviceDocument): boolean {
    return WAITED_FOR.has(this.#found.get(device._id)?.kind) || this.#options.isDoubtful(device);
  }

  /** Returns those of the slow ones that are checked in this round. */
  #turnOf(slow: DeviceDocument[]): DeviceDocument[] {
    const sorted = slow.sort((one, other) => (one._id < other._id ? -1 : 1));
    const next = sorted.findIndex(({ _id }) => _id > this.#lastSlow);
    const turn = [...sorted.slice(Math.max(next, 0)), ...sorted.slice(0, Math.max(next, 0))].slice(0, SLOW_CHECKS_MOST);
    this.#lastSlow = turn.at(-1)?._id ?? '';
    return turn;
  }

  async #checkPhone(device: DeviceDocument, signal: AbortSignal): Promise<void> {
    if (device.endpoint === undefined || device.job !== undefined) return;
    signal.throwIfAborted();
    const { _id: phoneId, endpoint, exit } = device;
    const finding = await unlessAborted(signal, this.#options.check({ phoneId, endpoint, exit }));
    const last = this.#found.get(device._id);
    const times = last !== undefined && last.kind === finding?.kind ? last.times + 1 : 1;
    this.#found.set(device._id, { kind: finding?.kind, times });
    if (times >= CHECKS_TO_BE_SURE) await this.#write(device, finding);
  }

  async #write(device: DeviceDocument, finding: Finding): Promise<void> {
    const { devices, clock, onDeviceEvents, log } = this.#options;
    const nowMs = clock.now();
    const change = changeByCheck(device.problem, finding, nowMs);
    if (change === undefined) return;
    if (!(await devices.changeIdle(device, withDeviceEvents(device, change, nowMs)))) return;
    log.info({ device: device.name, found: finding?.kind, before: device.problem?.kind }, 'health changed');
    onDeviceEvents();
  }
}
