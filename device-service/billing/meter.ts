import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { problemSince, withDeviceEvents } from '../health/problems.js';
import { acceptJob, type JobParts } from '../jobs/accept-job.js';
import type { AccountTrial } from '../store/accounts.js';
import type { DeviceDocument } from '../store/devices.js';
import type { LedgerStore } from '../store/ledger.js';
import {
  lastCharged,
  MINUTE_MS,
  minuteOf,
  minutePosting,
  minutePrice,
  minutesDue,
  monthPosting,
  monthPrice,
  tooLow,
} from './charges.js';
import { type CreationPaymentParts, giveBackLapsed } from './creation-payment.js';
import { monthNumber } from './months.js';
import type { Posting, Standing } from './postings.js';

export interface MeterOptions extends CreationPaymentParts, JobParts {
  entries: LedgerStore;
  clock: Clock;
  log: Log;
  hostId: string;
  /** Whether it is not known yet if the phone runs as recorded: then it is charged once that is known. */
  isDoubtful: (device: DeviceDocument) => boolean;
}

/**
 * Charges the devices of this host: each begun UTC minute in which a device of plan minute runs, and each month of plan month. The meter's
 * knowledge is only a hint; the ledger refuses to charge anything twice, so a meter may be killed anywhere, overlap with another, or
 * see the clock go back. A device whose minute or month cannot be paid is stopped.
 */
export class Meter {
  readonly #options: MeterOptions;
  /** The last minute charged, by phone. */
  readonly #charged = new Map<string, number>();
  /** The month that is paid, by phone. */
  readonly #paid = new Map<string, number>();
  #tickedMs: number | undefined;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Charges all minutes that are due. Reads all devices once a minute, else only those that started since the last time. */
  async tick(): Promise<void> {
    const { devices, hostId, clock, isDoubtful } = this.#options;
    // Read before the devices: a device that is found running ran in this minute, or starts later and is not charged for it.
    const nowMs = clock.now();
    const tickedMs = this.#tickedMs;
    const sameMinute = tickedMs !== undefined && minuteOf(tickedMs) === minuteOf(nowMs);
    const recorded = await devices.ofHost(hostId).findMetered(sameMinute ? new Date(tickedMs - MINUTE_MS) : undefined);
    const running = recorded.filter((device) => !isDoubtful(device));
    if (!sameMinute) {
      const alive = new Set(running.map(({ _id }) => _id));
      for (const phoneId of this.#charged.keys()) if (!alive.has(phoneId)) this.#charged.delete(phoneId);
    }
    const unpaid = await this.#chargeMinutes(running, () => nowMs);
    if (!sameMinute) {
      unpaid.push(...(await this.#chargeMonths(nowMs)));
      await giveBackLapsed(this.#options);
    }
    for (const { device, standing } of unpaid) await this.#stop(device, standing);
    // Those that are in doubt, or could neither be paid nor stopped, are read again.
    this.#tickedMs = unpaid.length > 0 || running.length < recorded.length ? undefined : nowMs;
  }

  /**
   * Charges the rest of a run that ends at `endMs`. Called before the end is written: after a crash in between it is called again
   * with the same end, or the device still counts as running.
   */
  async settle(device: DeviceDocument, endMs: number): Promise<void> {
    if (device.plan === 'minute' && device.startedAt !== undefined) await this.#chargeMinutes([device], () => endMs);
  }

  /** Returns the devices whose minutes could not be paid. */
  async #chargeMinutes(running: readonly DeviceDocument[], endOf: (device: DeviceDocument) => number) {
    const due = new Map<string, { posting: Posting; device: DeviceDocument; minute: number }[]>();
    for (const device of running) {
      for (const minute of await this.#minutesDue(device, endOf(device))) {
        const ofAccount = due.get(device.accountId) ?? [];
        due.set(device.accountId, ofAccount);
        ofAccount.push({ posting: minutePosting(device, minute), device, minute });
      }
    }
    const unpaid: { device: DeviceDocument; standing: Standing }[] = [];
    for (const [accountId, ofAccount] of due) {
      // In the order of time, so that the last money goes to the minutes that came first.
      ofAccount.sort((a, b) => a.minute - b.minute || (a.device._id < b.device._id ? -1 : 1));
      unpaid.push(...(await this.#chargeAccount(accountId, ofAccount)));
    }
    return unpaid;
  }

  async #chargeAccount(
    accountId: string,
    due: readonly { posting: Posting; device: DeviceDocument; minute: number }[],
  ): Promise<{ device: DeviceDocument; standing: Standing }[]> {
    const { accounts, ledger, prices } = this.#options;
    const trial: AccountTrial = (await accounts.find(accountId))?.trial ?? { state: 'used' };
    const postings = due.map(({ posting }) => posting);
    const { standing, refused } = await ledger.post(accountId, postings, minutePrice(trial, prices));
    const isOver = prices.billing && trial.state === 'active' && standing.trialMinutes >= prices.trialMinutes;
    if (isOver) await accounts.endTrial(accountId);
    const refusedOnes = new Set(refused.map(({ dedupe }) => dedupe));
    for (const { device, minute, posting } of due) {
      if (!refusedOnes.has(posting.dedupe)) this.#charged.set(device._id, minute);
    }
    const phones = new Set(refused.map(({ device }) => device?.phoneId));
    const devices = new Map(due.map(({ device }) => [device._id, device]));
    return [...devices.values()].filter(({ _id }) => phones.has(_id)).map((device) => ({ device, standing }));
  }

  /** Minutes of the run that have not been charged, up to the one of `endMs`. */
  async #minutesDue({ _id, startedAt }: DeviceDocument, endMs: number): Promise<number[]> {
    if (startedAt === undefined) return [];
    const last = minuteOf(endMs);
    let charged = this.#charged.get(_id);
    if (charged === undefined || charged > last) {
      // The first time, as after a restart of the service, or after a clock that was ahead: the ledger knows how far it had come by now.
      charged = await lastCharged(this.#options.entries, _id, last);
      this.#charged.set(_id, charged);
    }
    return minutesDue({ startedMs: startedAt.getTime(), charged, endMs });
  }

  /** Charges the month that each device of plan month is in. Returns the running ones whose month could not be paid. */
  async #chargeMonths(nowMs: number) {
    const { devices, ledger, prices, hostId } = this.#options;
    const unpaid: { device: DeviceDocument; standing: Standing }[] = [];
    const monthly = await devices.ofHost(hostId).findMonthly();
    const known = new Set(monthly.map(({ _id }) => _id));
    for (const phoneId of this.#paid.keys()) if (!known.has(phoneId)) this.#paid.delete(phoneId);
    for (const device of monthly) {
      const createdMs = device.createdAt.getTime();
      const month = monthNumber(createdMs, nowMs);
      if (this.#paid.get(device._id) === month) continue;
      const posting = monthPosting(device, createdMs, month);
      const { standing, refused } = await ledger.post(device.accountId, [posting], monthPrice(prices));
      if (refused.length === 0) this.#paid.set(device._id, month);
      else if (device.state === 'running') unpaid.push({ device, standing });
    }
    return unpaid;
  }

  /** Stops a device that cannot be paid for. It keeps its state; one that a job is at work on is read again after the job. */
  async #stop(device: DeviceDocument, standing: Standing): Promise<void> {
    const { prices, clock, log } = this.#options;
    const message = `${tooLow(standing, device.plan, prices)} The device was stopped and keeps its state.`;
    const problem = problemSince({ kind: 'balance', message }, clock.now());
    try {
      const change = withDeviceEvents(device, { problem }, clock.now());
      await acceptJob(this.#options, device, { kind: 'stop' }, change);
      log.info({ device: device.name, account: device.accountId }, 'stopping a device whose balance is used up');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
