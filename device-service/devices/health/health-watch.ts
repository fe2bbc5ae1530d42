import pLimit from 'p-limit';
import { unlessAborted } from '../../../kit/async/within.js';
import { CHECKS_AT_ONCE, CHECKS_TO_BE_SURE, MAX_SLOW_CHECKS } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';
import type { CheckPhone } from './check-phone.js';
import type { FindingKind } from '../../store/problem-kinds.js';
import { changeByCheck, type Finding, withDeviceEvents } from '../../record/problems.js';

type WatchContext = Pick<DevicesContext, 'devices' | 'hostId' | 'isDoubtful' | 'deviceEvents' | 'clock' | 'log'>;

/** The findings of a check that got no response in time. */
const WAITED_FOR: ReadonlySet<string | undefined> = new Set<FindingKind>(['adb', 'exit']);

/**
 * Checks every running phone of this host regularly. A problem is recorded when two checks in a row found it, and removed when two in a
 * row did not. So one slow response changes nothing. The results of earlier checks are in memory only, so two checks are needed again
 * after a restart. Nothing is reported twice, since the problem itself is in the database.
 */
export class HealthWatch {
  readonly #context: WatchContext;
  readonly #check: CheckPhone;
  /** The last finding for each phone, and how often in a row it was found. */
  readonly #found = new Map<string, { kind: string | undefined; times: number }>();
  /** The phone of the last slow check; the next round goes on after it. */
  #lastSlow = '';

  constructor(context: WatchContext, check: CheckPhone) {
    this.#context = context;
    this.#check = check;
  }

  /**
   * Checks every running phone once; a check that fails is made again in the next round. If many checks use up their time limit, their
   * phones take turns from round to round, so that the other phones are checked in time. When the signal aborts, checks under way are not
   * awaited, and nothing is written.
   */
  async checkPhones(signal: AbortSignal): Promise<void> {
    const { devices, hostId, log } = this.#context;
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
      // A phone that became doubtful while it waited is left to the next round.
      ...others.map((device) => othersAtOnce(async () => (this.#isSlow(device) ? undefined : check(device)))),
    ]);
  }

  /**
   * Returns whether a check of the phone will probably use up its time limit. The last check did so, or the driver does not know the phone's
   * state.
   */
  #isSlow(device: DeviceDocument): boolean {
    return WAITED_FOR.has(this.#found.get(device._id)?.kind) || this.#context.isDoubtful(device);
  }

  /** Returns the slow phones that are checked in this round. */
  #turnOf(slow: DeviceDocument[]): DeviceDocument[] {
    const sorted = slow.sort((one, other) => (one._id < other._id ? -1 : 1));
    const next = sorted.findIndex(({ _id }) => _id > this.#lastSlow);
    const turn = [...sorted.slice(Math.max(next, 0)), ...sorted.slice(0, Math.max(next, 0))].slice(0, MAX_SLOW_CHECKS);
    this.#lastSlow = turn.at(-1)?._id ?? '';
    return turn;
  }

  async #checkPhone(device: DeviceDocument, signal: AbortSignal): Promise<void> {
    if (device.endpoint === undefined || device.job !== undefined) return;
    signal.throwIfAborted();
    const { _id: phoneId, endpoint, exit } = device;
    const finding = await unlessAborted(signal, this.#check({ phoneId, endpoint, exit }));
    const last = this.#found.get(device._id);
    const times = last !== undefined && last.kind === finding?.kind ? last.times + 1 : 1;
    this.#found.set(device._id, { kind: finding?.kind, times });
    if (times >= CHECKS_TO_BE_SURE) await this.#write(device, finding);
  }

  async #write(device: DeviceDocument, finding: Finding): Promise<void> {
    const { devices, clock, deviceEvents, log } = this.#context;
    const nowMs = clock.now();
    const change = changeByCheck(device.problem, finding, nowMs);
    if (change === undefined) return;
    if (!(await devices.changeIdle(device, withDeviceEvents(device, change, nowMs)))) return;
    log.info({ device: device.name, found: finding?.kind, before: device.problem?.kind }, 'health changed');
    deviceEvents.soon();
  }
}
