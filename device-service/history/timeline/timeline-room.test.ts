import { expect } from 'chai';
import { firstId } from '../../../kit/text/ids.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { AccountStore } from '../../store/accounts.js';
import { type TimelineDocument, TimelineStore } from '../../store/timeline.js';
import { TimelineRoom } from './timeline-room.js';

const DAY_MS = 86_400_000;

describe('the room of timelines', () => {
  let opened: TemporaryDatabase;
  let stores: { accounts: AccountStore; timeline: TimelineStore };
  let room: TimelineRoom;
  const settings = { keptMs: 7 * DAY_MS, maxBytes: 10_000 };

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = { accounts: new AccountStore(opened.database), timeline: new TimelineStore(opened.database) };
    await stores.timeline.createIndexes();
    for (const _id of ['acc_1', 'acc_2']) {
      await stores.accounts.insert({
        _id,
        email: `${_id}@b.example`,
        passwordHash: '',
        createdAt: new Date(0),
        trial: { state: 'unused' },
      });
    }
    room = new TimelineRoom(stores, settings);
  });
  afterEach(() => opened.close());

  const entry = (number: number, more: Partial<TimelineDocument> = {}): TimelineDocument => ({
    _id: `${firstId('tl', number)}0`,
    phoneId: 'ph_1',
    accountId: 'acc_1',
    at: new Date(number),
    kind: 'act',
    key: 'agent',
    request: '{}',
    outcome: 'done',
    durationMs: 1,
    app: '',
    bytes: 1_000,
    ...more,
  });
  const left = async (accountId = 'acc_1'): Promise<number[]> =>
    (await opened.database.collection('timeline').find({ accountId }).sort({ _id: 1 }).toArray()).map(({ at }) =>
      (at as Date).getTime(),
    );
  const counted = async (): Promise<number | undefined> => (await stores.accounts.find('acc_1'))?.timelineBytes;

  it('keeps the newest entries of an account within its bound: ten times as much is added', async () => {
    for (let number = 0; number < 100; number += 4)
      await room.add(
        'acc_1',
        [0, 1, 2, 3].map((more) => entry(number + more)),
      );
    await room.add('acc_2', [entry(5_000, { accountId: 'acc_2' })]);
    expect(await left()).to.deep.equal(Array.from({ length: 10 }, (_, number) => 90 + number));
    expect(await counted()).to.equal(10_000);
    expect(await left('acc_2')).to.deep.equal([5_000]);
  });

  it('counts entries once that are added again, and removes one that is larger than the bound', async () => {
    for (let times = 0; times < 5; times++) await room.add('acc_1', [entry(1), entry(2)]);
    expect([await left(), await counted()]).to.deep.equal([[1, 2], 2_000]);
    await room.add('acc_1', [entry(3, { bytes: 20_000 })]);
    expect([await left(), await counted()]).to.deep.equal([[], 0]);
  });

  it('counts anew what a crash left wrong', async () => {
    await room.add('acc_1', [entry(1)]);
    await stores.accounts.setTimelineBytes('acc_1', 9_900);
    await new TimelineRoom(stores, settings).add('acc_1', [entry(2)]);
    expect([await left(), await counted()]).to.deep.equal([[1, 2], 2_000]);
  });

  it('stays within the bound with two processes that add and remove at the same time', async () => {
    const other = new TimelineRoom(stores, settings);
    const adding = Array.from({ length: 60 }, (_, number) =>
      (number % 2 === 0 ? room : other).add('acc_1', [entry(number)]),
    );
    await Promise.all(adding);
    const kept = await left();
    // Each process counts once, and may miss the entry that the other one is adding.
    expect(kept.length).to.be.within(5, 12);
    expect(await counted()).to.be.at.least((kept.length - 2) * 1_000);
  });

  it('removes entries whose time is over, of all accounts, and those of one phone', async () => {
    await room.add('acc_1', [entry(1), entry(DAY_MS), entry(DAY_MS * 2, { phoneId: 'ph_2' })]);
    await room.add('acc_2', [entry(2, { accountId: 'acc_2' })]);
    await room.removeExpired(8 * DAY_MS, new AbortController().signal);
    expect([await left(), await left('acc_2'), await counted()]).to.deep.equal([[DAY_MS, DAY_MS * 2], [], 2_000]);
    await room.removeOfPhone('ph_1');
    expect([await left(), await counted()]).to.deep.equal([[DAY_MS * 2], 1_000]);
  });
});
