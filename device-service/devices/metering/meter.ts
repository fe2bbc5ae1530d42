import { databaseUnavailable } from '../../../kit/errors/database-unavailable.js';
import type { AccountTrial } from '../../store/accounts.js';
import type { DeviceDocument } from '../../store/devices.js';
import {
  lastCharged,
  MINUTE_MS,
  minuteOf,
  minutePosting,
  minutePrice,
  minutesDue,
  monthPosting,
  monthPrice,
} from '../../accounts/billing/charges.js';
import { giveBackLapsed } from '../../accounts/billing/creation-payment.js';
import { withoutFree } from '../../accounts/billing/free-minutes.js';
import { monthNumber } from '../../accounts/billing/months.js';
import type { Posting, Standing } from '../../accounts/billing/postings.js';
import type { AccountsContext } from '../../accounts/accounts-context.js';

/** A device whose minute or month could not be paid, and the standing of its account then. */
export interface Unpaid {
  device: DeviceDocument;
  standing: Standing;
}

/**
 * Charges the devices of this host: each begun UTC minute in which a device of plan minute runs, and each month of plan month. What the
 * meter remembers only saves work, as the ledger refuses to charge anything twice. So a meter may be killed anywhere, overlap with
 * another, or see the clock go back. A device whose minute or month cannot be paid is stopped (stop-unpaid.ts).
 */
export class Meter {
  readonly #options: AccountsContext;
  /** The last minute charged, by phone. */
  readonly #charged = new Map<string, number>();
  /** The running phones whose last minute or month could not be paid. */
  #unpaid: ReadonlySet<string> = new Set();
  /** The month that is paid, by phone. */
  readonly #paid = new Map<string, number>();
  #tickedMs: number | undefined;

  constructor(options: AccountsContext) {
    this.#options = options;
  }

  /**
   * Charges all minutes and months that are due, and returns the devices that could not pay theirs. Once a minute it reads all devices;
   * otherwise only those that started since the last time. The charges of an account that fail are in `failures`, and delay no other account.
   */
  async charge(): Promise<{ unpaid: Unpaid[]; failures: readonly unknown[] }> {
    const { devices, hostId, clock, isDoubtful } = this.#options;
    // The time is read before the devices. So a device that is found running either ran in this minute, or started after it and is not
    // charged for it.
    const nowMs = clock.now();
    const tickedMs = this.#tickedMs;
    const sameMinute = tickedMs !== undefined && minuteOf(tickedMs) === minuteOf(nowMs);
    const recorded = await devices.ofHost(hostId).findMetered(sameMinute ? new Date(tickedMs - MINUTE_MS) : undefined);
    const running = recorded.filter((device) => !isDoubtful(device));
    if (!sameMinute) {
      const alive = new Set(running.map(({ _id }) => _id));
      for (const phoneId of this.#charged.keys()) if (!alive.has(phoneId)) this.#charged.delete(phoneId);
    }
    const failures: unknown[] = [];
    const unpaid = await this.#chargeMinutes(running, () => nowMs, failures);
    if (!sameMinute) {
      unpaid.push(...(await this.#chargeMonths(nowMs, failures)));
      await attempt(failures, () => giveBackLapsed(this.#options));
    }
    // All devices are read again next time if some are in doubt or were not charged, or could not pay and perhaps were not stopped.
    this.#unpaid = new Set(unpaid.map(({ device }) => device._id));
    const isComplete = unpaid.length === 0 && failures.length === 0 && running.length === recorded.length;
    this.#tickedMs = isComplete ? nowMs : undefined;
    return { unpaid, failures };
  }

  /** Returns whether the phone runs although its last minute or month could not be paid, as a job is at work on it. */
  isUnpaid(phoneId: string): boolean {
    return this.#unpaid.has(phoneId);
  }

  /**
   * Charges the rest of a run that ends at `endMs`. It is called before the end is written. After a crash in between, it is called again
   * with the same end, or the device still counts as running.
   */
  async settle(device: DeviceDocument, endMs: number): Promise<void> {
    if (device.plan === 'minute' && device.startedAt !== undefined) await this.#chargeMinutes([device], () => endMs);
  }

  /** Charges minutes. Returns the devices whose minutes could not be paid. Without `failures`, the first failure of an account is thrown. */
  async #chargeMinutes(
    running: readonly DeviceDocument[],
    endOf: (device: DeviceDocument) => number,
    failures?: unknown[],
  ) {
    const due = new Map<string, { posting: Posting; device: DeviceDocument; minute: number }[]>();
    for (const device of running) {
      for (const minute of await this.#minutesDue(device, endOf(device))) {
        const ofAccount = due.get(device.accountId) ?? [];
        due.set(device.accountId, ofAccount);
        ofAccount.push({ posting: minutePosting(device, minute), device, minute });
      }
    }
    const unpaid: Unpaid[] = [];
    for (const [accountId, ofAccount] of due) {
      // Minutes are in the order of time, so that the last money pays for those that came first.
      ofAccount.sort((a, b) => a.minute - b.minute || (a.device._id < b.device._id ? -1 : 1));
      await attempt(failures, async () => void unpaid.push(...(await this.#chargeAccount(accountId, ofAccount))));
    }
    return unpaid;
  }

  async #chargeAccount(
    accountId: string,
    due: readonly { posting: Posting; device: DeviceDocument; minute: number }[],
  ): Promise<Unpaid[]> {
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

  /** Returns the minutes of the run that are to be charged, up to the minute of `endMs`. */
  async #minutesDue(device: DeviceDocument, endMs: number): Promise<number[]> {
    const { _id, startedAt } = device;
    if (startedAt === undefined) return [];
    const last = minuteOf(endMs);
    let charged = this.#charged.get(_id);
    if (charged === undefined || charged > last) {
      // Either this meter has not charged the phone since it started, or its clock was ahead. The ledger has the last charged minute.
      charged = await lastCharged(this.#options.entries, _id, last);
      this.#charged.set(_id, charged);
    }
    const due = minutesDue({ startedMs: startedAt.getTime(), charged, endMs });
    return withoutFree(due, device, this.#options.outages());
  }

  /** Charges the present month of each device of plan month. Returns the running devices whose month could not be paid. */
  async #chargeMonths(nowMs: number, failures: unknown[]) {
    const { devices, ledger, prices, hostId } = this.#options;
    const unpaid: Unpaid[] = [];
    const monthly = await devices.ofHost(hostId).findMonthly();
    const known = new Set(monthly.map(({ _id }) => _id));
    for (const phoneId of this.#paid.keys()) if (!known.has(phoneId)) this.#paid.delete(phoneId);
    for (const device of monthly) {
      // A phone that could not be made costs no further month. Its months are given back when the device is deleted.
      if (device.made !== true && (device.state === 'failed' || device.wanted === 'gone')) continue;
      const createdMs = device.createdAt.getTime();
      const month = monthNumber(createdMs, nowMs);
      if (this.#paid.get(device._id) === month) continue;
      await attempt(failures, async () => {
        const posting = monthPosting(device, createdMs, month);
        const { standing, refused } = await ledger.post(device.accountId, [posting], monthPrice(prices));
        if (refused.length === 0) this.#paid.set(device._id, month);
        else if (device.state === 'running') unpaid.push({ device, standing });
      });
    }
    return unpaid;
  }
}

/** Does the work of one account. A failure is noted in `failures` where these are given; one of the whole database is thrown. */
async function attempt(failures: unknown[] | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (failures === undefined || databaseUnavailable(error) !== undefined) throw error;
    failures.push(error);
  }
}
