import type { ChargedDevice, LedgerEntry, LedgerStore } from '../store/ledger.js';
import type { UsageDay, UsageDayStore } from '../store/usage-days.js';

/** Charges of one phone, summed. */
export interface UsageRow extends ChargedDevice {
  /** Such as 2026-11-01; of several days the first. */
  day: string;
  minutes: number;
  /** Charges are negative. Micro-dollars. */
  amountMicros: number;
}

/** By which charges are summed: those of the same key are one row. */
export type UsageKey = (charge: { phoneId: string; day: string }) => string;

/** Lines that are read and summed at once. A phone of plan minute has 1,440 a day. */
const PAGE_LINES = 250;

/** How often a page may lose to other processes that sum the same ledger before something else must be wrong. */
const SUM_TRIES = 50;

/**
 * Keeps the sums of ledgers by phone and day, from which usage is reported: a month of one phone is 43,200 lines, too many to be read
 * for each report.
 *
 * A sum has the number of the last line in it, and is changed by one conditional update; an account's number of summed lines follows
 * once all sums of a page are written. So after a crash in between, or with two processes at the same time, a page is read again and
 * no line is counted twice.
 */
export class DailyUsage {
  readonly #entries: LedgerStore;
  readonly #days: UsageDayStore;

  constructor({ entries, usageDays }: { entries: LedgerStore; usageDays: UsageDayStore }) {
    this.#entries = entries;
    this.#days = usageDays;
  }

  /** Returns the charges of an account from `first` up to `before`, which are the beginnings of days, by `keyOf`. */
  async read(accountId: string, first: Date, before: Date, keyOf: UsageKey): Promise<UsageRow[]> {
    while (await this.#sumPage(accountId));
    const rows = new Map<string, UsageRow>();
    for await (const sum of this.#days.list(accountId, dayText(first), dayText(before))) {
      const { _id, phoneId, name, createdBy, plan } = sum;
      const day = _id.slice(accountId.length + 1, -phoneId.length - 1);
      const key = keyOf({ phoneId, day });
      const row = rows.get(key) ?? { phoneId, name, createdBy, plan, day, minutes: 0, amountMicros: 0 };
      const sums = { minutes: row.minutes + sum.minutes, amountMicros: row.amountMicros + sum.amountMicros };
      rows.set(key, { ...row, ...sums });
    }
    return [...rows.values()];
  }

  /**
   * Sums lines that were just added, `first` to `last`, whenever enough have come together: then few are left for a report. Sums at
   * most two pages, so a long ledger of a release without sums is summed step by step, or by its first report.
   */
  async follow(accountId: string, first: number, last: number): Promise<void> {
    if (Math.floor(last / PAGE_LINES) === Math.floor((first - 1) / PAGE_LINES)) return;
    if (await this.#sumPage(accountId)) await this.#sumPage(accountId);
  }

  /** Returns whether there may be more. */
  async #sumPage(accountId: string): Promise<boolean> {
    for (let tries = 0; tries < SUM_TRIES; tries++) {
      const through = await this.#days.summedThrough(accountId);
      const lines = await this.#entries.listAfter(accountId, through, PAGE_LINES);
      const last = lines.at(-1);
      if (last === undefined) return false;
      const known = await this.#days.find([...new Set(lines.flatMap(dayIdsOf))]);
      const changed = addLines(lines, known);
      if (changed.length === 0 || (await this.#days.replace(changed))) {
        await this.#days.noteSummed(accountId, through, last.seq);
        return lines.length === PAGE_LINES;
      }
    }
    throw new Error(`could not sum the ledger of ${accountId}: others always did first`);
  }
}

/** Returns the days that `lines` change, with the number that each had before. */
function addLines(lines: readonly LedgerEntry[], known: readonly UsageDay[]): { day: UsageDay; before: number }[] {
  const days = new Map(known.map((day) => [day._id, { day, before: day.seq }]));
  for (const { device, seq, minutes, amountMicros, at, accountId } of lines) {
    if (device === undefined) continue;
    const id = dayId(accountId, at, device.phoneId);
    const { day, before } = days.get(id) ?? {
      day: { _id: id, ...device, seq: 0, minutes: 0, amountMicros: 0 },
      before: 0,
    };
    if (seq <= day.seq) continue;
    const sums = { seq, minutes: day.minutes + minutes, amountMicros: day.amountMicros + amountMicros };
    days.set(id, { day: { ...day, ...sums }, before });
  }
  return [...days.values()].filter(({ day, before }) => day.seq > before);
}

function dayIdsOf({ accountId, at, device }: LedgerEntry): string[] {
  return device === undefined ? [] : [dayId(accountId, at, device.phoneId)];
}

function dayId(accountId: string, at: Date, phoneId: string): string {
  return `${accountId}/${dayText(at)}/${phoneId}`;
}

/** A day such as 2026-11-01, of UTC. */
export function dayText(date: Date): string {
  return date.toISOString().slice(0, 10);
}
