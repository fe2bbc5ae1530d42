import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { mortalDatabase } from '../../../testing/mortal-database.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { integersBelow, seededRandom } from '../../../testing/seeded-random.js';
import { type LedgerEntry, LedgerStore, lineId } from '../../store/ledger.js';
import { UsageDayStore } from '../../store/usage-days.js';
import { DailyUsage, type UsageKey } from './daily-usage.js';
import { Ledger } from './ledger.js';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;
const FIRST = new Date('2026-11-01T00:00:00Z');
const LAST = new Date('2026-12-01T00:00:00Z');
const BY_PHONE: UsageKey = ({ phoneId }) => phoneId;

describe('usage by day', () => {
  let opened: TemporaryDatabase;
  let entries: LedgerStore;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    entries = new LedgerStore(opened.database);
    await entries.createIndexes();
  });
  afterEach(() => opened.close());

  const summing = (database = opened.database): DailyUsage =>
    new DailyUsage({ entries: new LedgerStore(database), usageDays: new UsageDayStore(database) });

  /** Adds charges of phones `p0`, `p1`, … by turns, six hours apart; every seventh line is a credit. */
  async function addLines(from: number, count: number, phones = 3): Promise<void> {
    const lines = Array.from({ length: count }, (_, n): LedgerEntry => {
      const seq = from + n;
      const line = {
        ...{ _id: lineId(ACCOUNT, seq), accountId: ACCOUNT, seq, dedupe: `d/${seq}`, writtenAt: FIRST },
        at: new Date(FIRST.getTime() + (((seq * DAY_MS) / 4) % (40 * DAY_MS))),
        ...{ balanceMicros: 1, trialMinutes: 0 },
      };
      if (seq % 7 === 0) return { ...line, kind: 'credit', amountMicros: 1_000, minutes: 0 };
      const device = { phoneId: `p${seq % phones}`, name: 'a', createdBy: 'key_1', plan: 'minute' as const };
      return { ...line, kind: 'minute', amountMicros: -seq, minutes: 1, device };
    });
    expect(await entries.insert(lines)).to.equal(true);
  }

  /** Returns the charges of the month, added up from the lines themselves: minutes and micro-dollars of each phone. */
  async function sumsOfLines(): Promise<Record<string, [number, number]>> {
    const sums: Record<string, [number, number]> = {};
    for (const { device, at, minutes, amountMicros } of await entries.listAll(ACCOUNT)) {
      if (device === undefined || at < FIRST || at >= LAST) continue;
      const [allMinutes, all] = sums[device.phoneId] ?? [0, 0];
      sums[device.phoneId] = [allMinutes + minutes, all + amountMicros];
    }
    return sums;
  }

  async function sumsOf(usage: DailyUsage): Promise<Record<string, [number, number]>> {
    const rows = await usage.read(ACCOUNT, FIRST, LAST, BY_PHONE);
    return Object.fromEntries(rows.map(({ phoneId, minutes, amountMicros }) => [phoneId, [minutes, amountMicros]]));
  }

  it('is the sum of the lines of each phone, within the days of the report', async () => {
    await addLines(1, 1_200);
    expect(await sumsOf(summing())).to.deep.equal(await sumsOfLines());
    // Other accounts have none of these charges, even where their id begins alike.
    expect(await summing().read('acc_12', FIRST, LAST, BY_PHONE)).to.deep.equal([]);
    expect(await summing().read('acc_', FIRST, LAST, BY_PHONE)).to.deep.equal([]);
    await addLines(1_201, 1);
    expect(await sumsOf(summing())).to.deep.equal(await sumsOfLines());
  });

  it('is the same by day, each line on its day', async () => {
    await addLines(1, 200);
    const days: Record<string, number> = {};
    for (const { device, at, amountMicros } of await entries.listAll(ACCOUNT)) {
      if (device === undefined || at < FIRST || at >= LAST) continue;
      const key = `${at.toISOString().slice(0, 10)} ${device.phoneId}`;
      days[key] = (days[key] ?? 0) + amountMicros;
    }
    const rows = await summing().read(ACCOUNT, FIRST, LAST, ({ day, phoneId }) => `${day} ${phoneId}`);
    expect(Object.fromEntries(rows.map((row) => [`${row.day} ${row.phoneId}`, row.amountMicros]))).to.deep.equal(days);
    expect(rows).to.have.length.above(60);
  });

  it('counts each line once, however many processes sum at the same time, and wherever they are killed', async () => {
    const random = integersBelow(seededRandom(20_261_123));
    let seq = 0;
    for (let round = 0; round < 30; round++) {
      const count = 1 + random(120);
      await addLines(seq + 1, count);
      seq += count;
      const ways = Array.from({ length: 3 }, () => mortalDatabase(opened.database));
      for (const way of ways) way.dieAfter(random(8));
      await Promise.all(
        ways.map((way) => Promise.race([summing(way.database).read(ACCOUNT, FIRST, LAST, BY_PHONE), way.cut()])),
      );
      if (random(3) === 0) expect(await sumsOf(summing())).to.deep.equal(await sumsOfLines());
    }
    const alive = Array.from({ length: 4 }, () => summing());
    const all = await Promise.all(alive.map(sumsOf));
    for (const sums of all) expect(sums).to.deep.equal(await sumsOfLines());
  });

  it('follows the ledger, so that a report has few lines to read', async () => {
    const days = new UsageDayStore(opened.database);
    const usage = summing();
    const ledger = new Ledger(entries, systemClock, (...lines) => usage.follow(...lines));
    for (let added = 0; added < 700; added += 35) {
      const postings = Array.from({ length: 35 }, (_, n) => ({
        ...{ kind: 'minute' as const, at: FIRST, dedupe: `m/${added + n}`, minutes: 1 },
        device: { phoneId: 'p', name: 'a', createdBy: 'key_1', plan: 'minute' as const },
      }));
      await ledger.post(ACCOUNT, postings, () => ({ amountMicros: -1 }));
      expect(added + 35 - (await days.summedThrough(ACCOUNT)), 'lines left').to.be.below(250);
    }
    expect(await sumsOf(usage)).to.deep.equal({ p: [700, -700] });
  });

  it('sums the long ledger of a release without sums by its first report', async () => {
    for (let seq = 1; seq <= 5_000; seq += 1_000) await addLines(seq, 1_000);
    expect(await sumsOf(summing())).to.deep.equal(await sumsOfLines());
    expect(await new UsageDayStore(opened.database).summedThrough(ACCOUNT)).to.equal(5_000);
  });
});
