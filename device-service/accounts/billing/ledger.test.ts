import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { LedgerStore } from '../../store/ledger.js';
import { Ledger } from './ledger.js';
import type { Posting, Price } from './postings.js';

const cent: Price = ({ balanceMicros }) => (balanceMicros >= 10_000 ? { amountMicros: -10_000 } : undefined);

describe('the ledger', () => {
  let opened: TemporaryDatabase;
  let store: LedgerStore;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    store = new LedgerStore(opened.database);
    await store.createIndexes();
  });
  afterEach(() => opened.close());

  const posting = (dedupe: string): Posting => ({ kind: 'minute', at: new Date(0), dedupe, minutes: 1 });

  async function credit(accountId: string, amountMicros: number): Promise<void> {
    const line: Posting = { kind: 'credit', at: new Date(0), dedupe: `credit/${accountId}`, minutes: 0 };
    await new Ledger(store, systemClock).post(accountId, [line], () => ({ amountMicros }));
  }

  it('is one chain, and charges each thing once, however many instances write at the same time', async () => {
    await credit('a', 1_000_000);
    await credit('ab', 7);
    const instances = Array.from({ length: 4 }, () => new Ledger(store, systemClock));
    // Every instance charges the same 60 things, in groups of its own size.
    await Promise.all(
      instances.map(async (ledger, bite) => {
        for (let from = 0; from < 60; from += bite + 1) {
          const some = Array.from({ length: Math.min(bite + 1, 60 - from) }, (_, n) => posting(`minute/p/${from + n}`));
          await ledger.post('a', some, cent);
        }
      }),
    );
    const entries = await store.listAll('a');
    expect(entries.map(({ seq }) => seq)).to.deep.equal(Array.from({ length: 61 }, (_, n) => n + 1));
    expect(new Set(entries.map(({ dedupe }) => dedupe))).to.have.length(61);
    let balance = 0;
    for (const { amountMicros, balanceMicros } of entries) {
      balance += amountMicros;
      expect(balanceMicros).to.equal(balance);
    }
    expect(balance).to.equal(400_000);
    expect((await store.listAll('ab')).map(({ balanceMicros }) => balanceMicros)).to.deep.equal([7]);
  });

  it('never goes below zero, and returns the postings that could not be paid', async () => {
    await credit('a', 25_000);
    const ledgers = Array.from({ length: 5 }, () => new Ledger(store, systemClock));
    const results = await Promise.all(ledgers.map((ledger, n) => ledger.post('a', [posting(`minute/p/${n}`)], cent)));
    expect(results.filter(({ refused }) => refused.length === 0)).to.have.length(2);
    expect((await new Ledger(store, systemClock).standing('a')).balanceMicros).to.equal(5_000);
  });

  it('does not call a minute unpaid that was paid before', async () => {
    await credit('a', 10_000);
    const ledger = new Ledger(store, systemClock);
    await ledger.post('a', [posting('minute/p/1')], cent);
    const again = await ledger.post('a', [posting('minute/p/1'), posting('minute/p/2')], cent);
    expect(again.refused.map(({ dedupe }) => dedupe)).to.deep.equal(['minute/p/2']);
  });

  it('knows the greatest of keys that begin alike', async () => {
    await credit('a', 1_000_000);
    const ledger = new Ledger(store, systemClock);
    await ledger.post('a', ['minute/p/01', 'minute/p/09', 'minute/p2/11', 'minute/o/99'].map(posting), cent);
    expect(await store.findGreatest('minute/p/', 'minute/p/99')).to.equal('minute/p/09');
    expect(await store.findGreatest('minute/p/', 'minute/p/09')).to.equal('minute/p/09');
    expect(await store.findGreatest('minute/p/', 'minute/p/08')).to.equal('minute/p/01');
    expect(await store.findGreatest('minute/q/', 'minute/q/99')).to.equal(undefined);
  });
});
