import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { LedgerStore } from '../../store/ledger.js';
import { minutePosting, minutePrice, monthPosting, monthPrice } from './charges.js';
import { holdPosting, holdPrice, releasePosting, spendable } from './holds.js';
import { DEFAULT_PRICES } from './prices.js';
import { Ledger } from './ledger.js';
import type { Posting, Price } from './postings.js';

describe('holds', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let ledgers: Ledger[];

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    const store = new LedgerStore(opened.database);
    await store.createIndexes();
    clock = new FakeClock();
    ledgers = Array.from({ length: 3 }, () => new Ledger(store, clock));
  });
  afterEach(() => opened.close());

  const free: Price = () => ({ amountMicros: 0 });
  const byTheMinute = minutePrice({ state: 'used' }, DEFAULT_PRICES);
  const device = (_id: string) => ({ _id, name: _id, createdBy: 'key_1', plan: 'minute' as const });

  async function credit(amountMicros: number): Promise<void> {
    const line: Posting = { kind: 'credit', at: new Date(0), dedupe: `credit/${amountMicros}`, minutes: 0 };
    await ledgers[0]!.post('a', [line], () => ({ amountMicros }));
  }

  /** Posts a line; returns whether it was paid for. */
  async function post(posting: Posting, price: Price, instance = 0): Promise<boolean> {
    return (await ledgers[instance]!.post('a', [posting], price)).refused.length === 0;
  }

  const hold = (phone: string, instance = 0): Promise<boolean> =>
    post(holdPosting(phone, clock.now()), holdPrice(DEFAULT_PRICES), instance);

  const left = async (): Promise<number> => spendable(await ledgers[0]!.standing('a'), DEFAULT_PRICES);

  it('are no more than the balance covers, with several instances at the same time', async () => {
    await credit(11_000);
    const granted = await Promise.all(Array.from({ length: 12 }, (_, phone) => hold(`ph_${phone}`, phone % 3)));
    expect(granted.filter(Boolean)).to.have.length(2);
    expect(await left()).to.equal(3_000);
  });

  it('are one for each phone, and renewed', async () => {
    await credit(4_000);
    expect(await hold('ph_1')).to.equal(true);
    clock.turn(10 * 60_000);
    expect(await hold('ph_1')).to.equal(true);
    clock.turn(10 * 60_000);
    expect(await left()).to.equal(0);
    expect(await hold('ph_2')).to.equal(false);
  });

  it('end with the minute, with a release, and after a quarter of an hour', async () => {
    await credit(8_000);
    await hold('ph_1');
    await hold('ph_2');
    expect(await post(minutePosting(device('ph_1'), 7), byTheMinute)).to.equal(true);
    expect(await left()).to.equal(0);
    await post(releasePosting('ph_2', clock.now()), free);
    expect(await left()).to.equal(4_000);
    await hold('ph_3');
    clock.turn(15 * 60_000 - 1);
    expect(await left()).to.equal(0);
    clock.turn(1);
    expect(await left()).to.equal(4_000);
  });

  it('keep their money from minutes of other phones and from months, and take nothing off the balance', async () => {
    await credit(12_000_000);
    await hold('ph_1');
    const month = { ...device('ph_2'), plan: 'month' as const };
    expect(await post(monthPosting(month, clock.now(), 0), monthPrice(DEFAULT_PRICES))).to.equal(false);
    expect((await ledgers[0]!.standing('a')).balanceMicros).to.equal(12_000_000);
    await post(releasePosting('ph_1', clock.now()), free);
    expect(await post(monthPosting(month, clock.now(), 0), monthPrice(DEFAULT_PRICES))).to.equal(true);
    await credit(4_000);
    await hold('ph_1');
    expect(await post(minutePosting(device('ph_2'), 7), byTheMinute)).to.equal(false);
    expect(await post(minutePosting(device('ph_1'), 7), byTheMinute)).to.equal(true);
  });
});
