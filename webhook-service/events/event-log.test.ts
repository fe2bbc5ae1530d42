import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { EVENTS_KEPT_MS } from '../limits.js';
import { EventStore } from '../store/events.js';
import { AccountTails } from './account-tails.js';
import { EventLog } from './event-log.js';

describe('the log of events', () => {
  let opened: TemporaryDatabase;
  let store: EventStore;
  let clock: FakeClock;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    store = new EventStore(opened.database);
    await store.createIndexes();
    clock = new FakeClock(Date.parse('2037-01-31T10:00:00Z'));
  });
  afterEach(() => opened.close());

  const logOf = (): EventLog => new EventLog(store, clock, () => undefined);
  const event = (id: string, accountId = 'acc_1') => ({
    ...{ id, accountId, type: 'job.finished', device: 'one', deviceCreatedBy: 'key_1', payload: Buffer.from(id) },
  });
  const ids = async (accountId = 'acc_1'): Promise<string[]> =>
    (await store.listAfter(accountId, 0, 1_000)).map(({ eventId }) => eventId);

  it('has one order for all processes, without a gap, and each event once', async () => {
    const logs = [logOf(), logOf(), logOf()];
    // Two tails, as those of two processes, read while it is written.
    const seen = [1, 2].map(() => ({ tails: new AccountTails(new EventStore(opened.database)), got: [] as string[] }));
    let isWritten = false;
    const readers = seen.map(async ({ tails, got }) => {
      const tail = await tails.open('acc_1');
      for (let seq = 0; !isWritten || seq < tail.lastSeq;) {
        await tails.poll();
        for (const one of await tail.after(seq)) {
          expect(one.seq).to.equal(++seq);
          got.push(one.eventId);
        }
        if (isWritten) await tail.refresh();
      }
    });
    // Every event is published by two of them, as after a crash.
    await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        Promise.all([logs[number % 3]!, logs[(number + 1) % 3]!].map((log) => log.add(event(`evt_${number}`)))),
      ),
    );
    isWritten = true;
    await Promise.all(readers);
    const order = await ids();
    expect(new Set(order).size).to.equal(60);
    expect(order).to.have.length(60);
    for (const { got } of seen) expect(got).to.deep.equal(order);
  });

  it('adds the rest of events of which some are there', async () => {
    const log = logOf();
    await log.add(event('a'));
    await Promise.all(['a', 'b', 'a', 'c', 'b'].map((id) => log.add(event(id))));
    await log.add(event('a', 'acc_2'));
    expect(await ids()).to.deep.equal(['a', 'b', 'c']);
    expect(await ids('acc_2')).to.deep.equal(['a']);
  });

  it('fails those behind an event that the database refuses, so that a repeat keeps their order', async () => {
    let fails = true;
    const failing = Object.assign(new EventStore(opened.database), {
      insert: async (...events: Parameters<EventStore['insert']>) => {
        if (!fails) return store.insert(...events);
        fails = false;
        throw new Error('the database is away');
      },
    });
    const log = new EventLog(failing, clock, () => undefined);
    const all = () => Promise.allSettled(['a', 'b', 'c'].map((id) => log.add(event(id))));
    expect((await all()).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect((await all()).map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await ids()).to.deep.equal(['a', 'b', 'c']);
  });

  it('forgets events after 24 hours, but for the last one of an account, after which it goes on', async () => {
    const log = logOf();
    for (const id of ['a', 'b', 'c']) await log.add(event(id));
    clock.turn(EVENTS_KEPT_MS - 1);
    await log.add(event('d'));
    await log.sweep();
    expect(await ids()).to.deep.equal(['a', 'b', 'c', 'd']);
    clock.turn(1);
    await log.sweep();
    expect(await ids()).to.deep.equal(['d']);
    clock.turn(EVENTS_KEPT_MS);
    for (let times = 0; times < 3; times++) await log.sweep();
    expect(await ids()).to.deep.equal(['d']);
    expect(await store.findExpired(new Date(clock.now()), 10)).to.deep.equal([]);
    await log.add(event('e'));
    expect((await store.listAfter('acc_1', 0, 10)).map(({ seq }) => seq)).to.deep.equal([4, 5]);
    clock.turn(EVENTS_KEPT_MS);
    await log.sweep();
    expect(await ids()).to.deep.equal(['e']);
  });

  it('forgets all that have expired in one sweep, however many they are', async () => {
    const log = logOf();
    await Promise.all(Array.from({ length: 2_500 }, (_, at) => log.add(event(`evt_${at}`))));
    clock.turn(EVENTS_KEPT_MS);
    await log.sweep();
    expect(await ids()).to.have.length(1);
  });

  it('counts no stream whose begin fails', async () => {
    let fails = false;
    let asked = 0;
    const failing = Object.assign(new EventStore(opened.database), {
      listAfter: async (...query: Parameters<EventStore['listAfter']>) => {
        if (fails) throw new Error('the database is away');
        return store.listAfter(...query);
      },
      findThere: async () => {
        asked++;
        return new Set<string>();
      },
    });
    const tails = new AccountTails(failing);
    await tails.open('acc_1');
    fails = true;
    expect(await tails.open('acc_1').catch(() => 'away')).to.equal('away');
    await tails.poll();
    tails.close('acc_1');
    await tails.poll();
    expect(asked).to.equal(1);
  });

  it('wakes those that wait for events, in the process that added them, without a poll', async () => {
    const tails = new AccountTails(store);
    const log = new EventLog(store, clock, (accountId) => void tails.refresh(accountId));
    const tail = await tails.open('acc_1');
    const waits = [tail.grown.wait(), tail.grown.wait()];
    await log.add(event('a'));
    await Promise.all(waits);
    expect(tail.lastSeq).to.equal(1);
  });
});
