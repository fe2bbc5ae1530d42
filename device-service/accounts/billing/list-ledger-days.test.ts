import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { formatMoney } from '../../../kit/text/money.js';
import { type Caller, CallerSchema } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import {
  type LedgerDay,
  LedgerKind,
  ListLedgerDaysRequestSchema,
  ListLedgerRequestSchema,
} from '../../../proto/gen/cloudphone/billing/v1/ledger_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { type LedgerEntry, LedgerStore, lineId } from '../../store/ledger.js';
import { UsageDayStore } from '../../store/usage-days.js';
import { minuteDedupe, minuteOf } from './charges.js';
import { DailyUsage } from './daily-usage.js';
import { listLedger } from './list-ledger.js';
import { type LedgerSources, listLedgerDays } from './list-ledger-days.js';

const ACCOUNT = 'acc_1';
const CENT = 10_000;

describe('the ledger by day', () => {
  let opened: TemporaryDatabase;
  let entries: LedgerStore;
  let parts: LedgerSources;
  let seq: number;
  let balanceMicros: number;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    entries = new LedgerStore(opened.database);
    await entries.createIndexes();
    parts = { entries, dailyUsage: new DailyUsage({ entries, usageDays: new UsageDayStore(opened.database) }) };
    [seq, balanceMicros] = [0, 0];
  });
  afterEach(() => opened.close());

  const caller = (accountId = ACCOUNT): Caller => create(CallerSchema, { accountId, allDevices: true });
  const page = (limit?: number, cursor?: string, accountId?: string) =>
    listLedgerDays(
      parts,
      caller(accountId),
      create(ListLedgerDaysRequestSchema, {
        ...(limit !== undefined && { limit }),
        ...(cursor !== undefined && { cursor }),
      }),
    );

  /** Returns a line that follows the last one. */
  function line(at: string, amountMicros: number, more: Partial<LedgerEntry>): LedgerEntry {
    seq++;
    balanceMicros += amountMicros;
    const time = new Date(at);
    return {
      ...{ _id: lineId(ACCOUNT, seq), accountId: ACCOUNT, seq, kind: 'credit', dedupe: `d/${seq}` },
      ...{ at: time, writtenAt: time, amountMicros, balanceMicros, minutes: 0, trialMinutes: 0 },
      ...more,
    };
  }

  function minute(at: string, phone: string, name = phone): LedgerEntry {
    const device = { phoneId: `ph_${phone}`, name, createdBy: 'key_1', plan: 'minute' as const };
    const dedupe = minuteDedupe(device.phoneId, minuteOf(Date.parse(at)));
    return line(at, -4_000, { kind: 'minute', minutes: 1, device, dedupe });
  }

  /** Returns the minutes of a day for some phones, minute by minute as the meter writes them. */
  function minutes(day: string, count: number, phones: readonly string[]): LedgerEntry[] {
    return Array.from({ length: count }, (_, n) => new Date(Date.parse(day) + n * 60_000).toISOString()).flatMap((at) =>
      phones.map((phone) => minute(at, phone)),
    );
  }

  const insert = async (lines: readonly LedgerEntry[]) => expect(await entries.insert(lines)).to.equal(true);

  it('sums the minutes of each phone on each day, between credits and reversals, with the balance after the day', async () => {
    const device = { phoneId: 'ph_m', name: 'monthly', createdBy: 'key_1', plan: 'month' as const };
    await insert([
      line('2026-11-01T08:00:00Z', 1_000 * CENT, {}),
      ...minutes('2026-11-01T09:00:00Z', 60, ['b', 'a']),
      line('2026-11-03T10:00:00Z', -1_200 * CENT, { kind: 'month', device, dedupe: 'month/ph_m/0' }),
      ...minutes('2026-11-03T11:00:00Z', 5, ['a']),
      line('2026-11-03T12:00:00Z', 2_000 * CENT, {}),
      line('2026-11-03T13:00:00Z', -500 * CENT, { kind: 'reversal' }),
    ]);
    const { days, nextCursor } = await page();
    expect(nextCursor).to.equal(undefined);
    expect(days.map(({ day, amount, balance }) => [day, amount, balance])).to.deep.equal([
      ['2026-11-03', '2.98', '12.50'],
      ['2026-11-01', '9.52', '9.52'],
    ]);
    expect(days.map(rowsOf)).to.deep.equal([
      [
        [LedgerKind.REVERSAL, undefined, 0, '-5.00'],
        [LedgerKind.CREDIT, undefined, 0, '20.00'],
        [LedgerKind.MINUTE, 'a', 5, '-0.02'],
        [LedgerKind.MONTH, 'monthly', 0, '-12.00'],
      ],
      [
        [LedgerKind.CREDIT, undefined, 0, '10.00'],
        [LedgerKind.MINUTE, 'a', 60, '-0.24'],
        [LedgerKind.MINUTE, 'b', 60, '-0.24'],
      ],
    ]);
  });

  it('is the same page by page, where a minute is written after midnight, and while lines are added', async () => {
    await insert([
      line('2026-10-31T08:00:00Z', 1_000 * CENT, {}),
      ...['01', '02', '04', '05', '09'].flatMap((day) => minutes(`2026-11-${day}T09:00:00Z`, 3, ['a', 'b', 'c'])),
      minute('2026-11-10T00:00:00Z', 'a'),
      // This minute is charged late: it is of the day before.
      minute('2026-11-09T23:59:00Z', 'b'),
    ]);
    const all = (await page()).days;
    expect(all.map(({ balance }) => balance)).to.deep.equal([
      formatMoney(balanceMicros),
      ...['9.816', '9.856', '9.892', '9.928', '9.964', '10.00'],
    ]);
    const paged: LedgerDay[] = [];
    let cursor: string | undefined;
    do {
      const { days, nextCursor } = await page(2, cursor);
      paged.push(...days);
      cursor = nextCursor;
      await insert([minute(`2026-11-10T0${paged.length}:00:00Z`, 'a')]);
    } while (cursor !== undefined);
    expect(paged).to.deep.equal(all);
  });

  it('reads a page of 60 phones by their sums, and of no other account', async () => {
    const phones = Array.from({ length: 60 }, (_, number) => `p${String(number).padStart(2, '0')}`);
    await insert([
      line('2026-10-31T08:00:00Z', 100_000 * CENT, {}),
      ...minutes('2026-11-01T00:00:00Z', 40, phones),
      ...minutes('2026-11-02T00:00:00Z', 40, phones),
    ]);
    const { days } = await page(1);
    expect(days).to.have.length(1);
    expect(days[0]?.entries).to.have.length(60);
    expect(days[0]?.amount).to.equal('-9.60');
    expect(new Set((await page()).days.map(({ balance }) => Number(balance).toFixed(2))).size).to.equal(3);
    expect((await page(31, undefined, 'acc_12')).days).to.deep.equal([]);
  });

  it('has the minutes of one phone on one day in the ledger itself', async () => {
    await insert([
      line('2026-10-31T08:00:00Z', 1_000 * CENT, {}),
      ...minutes('2026-11-01T23:57:00Z', 5, ['a', 'b']),
      // Another phone has the name later.
      minute('2026-11-02T10:00:00Z', 'c', 'a'),
    ]);
    const times = async (day: string, device: string, limit = 10_000) => {
      const request = create(ListLedgerRequestSchema, { day, device, limit });
      const { items, nextCursor } = await listLedger(parts, caller(), request);
      return [...items.map(({ at }) => at.toISOString().slice(8, 16)), ...(nextCursor === undefined ? [] : ['more'])];
    };
    expect(await times('2026-11-01', 'a')).to.deep.equal(['01T23:59', '01T23:58', '01T23:57']);
    expect(await times('2026-11-02', 'a')).to.deep.equal(['02T10:00', '02T00:01', '02T00:00']);
    expect(await times('2026-11-01', 'b', 2)).to.deep.equal(['01T23:59', '01T23:58', 'more']);
    expect(await times('2026-11-03', 'a')).to.deep.equal([]);
    expect(await times('2026-11-01', 'c')).to.deep.equal([]);
  });

  it('refuses keys of some devices, and cursors that are none', async () => {
    const limited = create(CallerSchema, { accountId: ACCOUNT, allDevices: false });
    await refused(listLedgerDays(parts, limited, create(ListLedgerDaysRequestSchema, {})), 'limited to some devices');
    for (const text of ['x', '2026-11-01', '2026-13-41 5', '2026-11-01 5 5', '2026-11-01 1e9']) {
      await refused(page(1, Buffer.from(text).toString('base64url')), 'cursor');
    }
  });
});

function rowsOf({ entries }: LedgerDay) {
  return entries.map(({ kind, device, minutes, amount }) => [kind, device, minutes, amount]);
}

async function refused(call: Promise<unknown>, text: string): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  expect(error?.message).to.contain(text);
}
