import type { ChargedDevice, LedgerEntry, LedgerStore } from '../../store/ledger.js';
import { dayOfUsage, type UsageDay, type UsageDayStore } from '../../store/usage-days.js';

/** Charges of one phone, summed. */
export interface UsageRow extends ChargedDevice {
  /** A day such as 2026-11-01; the first one where several days are summed. */
  day: string;
  minutes: number;
  /** Charges are negative. Micro-dollars. */
  amountMicros: number;
}

/** Returns the key by which a charge is summed. Charges with the same key are one row. */
export type UsageKey = (charge: { phoneId: string; day: string }) => string;

/** How many lines are read and summed at a time. A phone of plan minute has 1,440 a day. */
const PAGE_LINES = 250;

/** How often a page is summed again because another process changed the same sums. If that many tries fail, there is another fault. */
const SUM_TRIES = 50;

/**
 * Keeps the charges of ledgers summed by phone and day, for reports of usage. One month of one phone is 43,200 lines, too many to read
 * for each report.
 *
 * Each sum has the number of the last line in it, and is changed by one conditional update. After all sums of a page are written, the
 * number of the page's last line is noted for the account. So after a crash in between, or with two processes at the same time, a page
 * is read again and no line is counted twice.
 */
export class DailyUsage {
  readonly #entries: LedgerStore;
  readonly #days: UsageDayStore;

  constructor({ entries, usageDays }: { entries: LedgerStore; usageDays: UsageDayStore }) {
    this.#entries = entries;
    this.#days = usageDays;
  }

  /**
   * Returns the charges of an account from the day that begins at `first` to before the day that begins at `before`, summed by `keyOf`.
   */
  async read(accountId: string, first: Date, before: Date, keyOf: UsageKey): Promise<UsageRow[]> {
    await this.#sum(accountId);
    const rows = new Map<string, UsageRow>();
    for await (const sum of this.#days.list(accountId, dayText(first), dayText(before))) {
      const { phoneId, name, createdBy, plan } = sum;
      const day = dayOfUsage(sum);
      const key = keyOf({ phoneId, day });
      const row = rows.get(key) ?? { phoneId, name, createdBy, plan, day, minutes: 0, amountMicros: 0 };
      const sums = { minutes: row.minutes + sum.minutes, amountMicros: row.amountMicros + sum.amountMicros };
      rows.set(key, { ...row, ...sums });
    }
    return [...rows.values()];
  }

  /** Returns the charges of an account by phone and day, newest day first. All days are before `before`, such as 2026-11-01. */
  async *newest(accountId: string, before: string): AsyncGenerator<UsageRow, void, undefined> {
    await this.#sum(accountId);
    for await (const sum of this.#days.listNewest(accountId, before)) {
      const { phoneId, name, createdBy, plan, minutes, amountMicros } = sum;
      yield { phoneId, name, createdBy, plan, day: dayOfUsage(sum), minutes, amountMicros };
    }
  }

  /** Returns the phones that had a name when they were charged on a day, such as 2026-11-01. */
  async phonesOf(accountId: string, day: string, name: string): Promise<ChargedDevice[]> {
    await this.#sum(accountId);
    const phones: ChargedDevice[] = [];
    for await (const sum of this.#days.list(accountId, day, `${day}0`)) if (sum.name === name) phones.push(sum);
    return phones;
  }

  async #sum(accountId: string): Promise<void> {
    while (await this.#sumPage(accountId));
  }

  /**
   * Sums the ledger when a multiple of PAGE_LINES is among the lines `first` to `last`, which were just added. So few lines are left for
   * a report. One call sums at most two pages. A long ledger of which nothing is summed yet is summed step by step, or by its first report.
   */
  async follow(accountId: string, first: number, last: number): Promise<void> {
    if (Math.floor(last / PAGE_LINES) === Math.floor((first - 1) / PAGE_LINES)) return;
    if (await this.#sumPage(accountId)) await this.#sumPage(accountId);
  }

  /** Sums the next page. Returns whether there may be more. */
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

/** Returns the days that `lines` change. `before` is the number of the last line that a day's sum had. */
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

/** Returns the day of a time in UTC, such as 2026-11-01. */
export function dayText(date: Date): string {
  return date.toISOString().slice(0, 10);
}
