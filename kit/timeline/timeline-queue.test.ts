import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { NewTimelineEntry } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { ApiError } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { newEntry } from './new-entry.js';
import { type QueuedEntry, TIMELINE_QUEUE, TimelineQueue } from './timeline-queue.js';

describe('the queue of timelines', () => {
  let clock: FakeClock;
  let kept: NewTimelineEntry[];
  /** Thrown by each call, until it is undefined. */
  let failure: Error | undefined;
  let calls: number;
  /** Calls return after it. */
  let busy: Promise<void>;

  beforeEach(() => {
    clock = new FakeClock();
    kept = [];
    failure = undefined;
    calls = 0;
    busy = Promise.resolve();
  });

  const open = (limits: Partial<typeof TIMELINE_QUEUE> = {}): TimelineQueue =>
    new TimelineQueue({
      clock,
      log: silentLog,
      limits,
      send: async (entries) => {
        calls++;
        await busy;
        if (failure !== undefined) throw failure;
        kept.push(...entries);
      },
    });
  const entry = (number: number, more: Partial<QueuedEntry> = {}): QueuedEntry => ({
    phoneId: 'ph_1',
    heldBytes: 100,
    make: () =>
      newEntry({
        phoneId: 'ph_1',
        atMs: clock.now() + number,
        kind: TimelineKind.ACT,
        request: { number },
        outcome: 'done',
      }),
    ...more,
  });
  const numbers = (): unknown[] =>
    kept
      .filter(({ kind }) => kind === TimelineKind.ACT)
      .map(({ request }) => (JSON.parse(request) as { number: number }).number);
  const missed = (): number[] =>
    kept
      .filter(({ kind }) => kind === TimelineKind.MISSED)
      .map(({ request }) => (JSON.parse(request) as { count: number }).count);

  it('keeps entries in their order, many at a time', async () => {
    const queue = open();
    let made = 0;
    busy = until(() => made === 120);
    for (let number = 0; number < 120; number++) {
      const one = entry(number);
      queue.add({ ...one, make: () => (made++, one.make()) });
    }
    await until(() => kept.length === 120);
    expect(numbers()).to.deep.equal(Array.from({ length: 120 }, (_, number) => number));
    expect(calls).to.equal(4);
  });

  it('returns at once, and counts what there is no room for: ten times the bound', async () => {
    const queue = open({ maxWaiting: 10 });
    for (let number = 0; number < 100; number++) queue.add(entry(number));
    await until(() => kept.length >= 10);
    expect(missed().reduce((sum, count) => sum + count, 0) + numbers().length).to.be.at.most(100);
    queue.add(entry(100));
    await until(() => numbers().includes(100));
    expect(missed().reduce((sum, count) => sum + count, 0) + numbers().length).to.equal(101);
    expect(numbers().length).to.be.at.most(12);
  });

  it('holds no more memory than its bound', async () => {
    const queue = open({ maxHeldBytes: 250 });
    for (let number = 0; number < 5; number++) queue.add(entry(number));
    queue.add(entry(5, { heldBytes: 50 }));
    await until(() => kept.length > 0);
    queue.add(entry(6));
    await until(() => numbers().includes(6));
    expect(numbers()).to.deep.equal([0, 1, 5, 6]);
    expect(missed()).to.deep.equal([3]);
  });

  it('waits for a database that is away, with longer and longer pauses, and then keeps everything', async () => {
    const queue = open();
    failure = new ApiError('unavailable', 'away');
    queue.add(entry(1));
    for (let tries = 1; tries <= 6; tries++) {
      await until(() => calls === tries && clock.timers > 0);
      queue.add(entry(tries + 1));
      clock.turn(Math.min(500 * 2 ** (tries - 1), 10_000));
    }
    failure = undefined;
    await until(() => (calls === 7 && clock.timers > 0) || kept.length > 0);
    clock.turn(10_000);
    await until(() => numbers().length === 7);
    expect(missed()).to.deep.equal([]);
  });

  it('keeps only so many made entries while the database is away, and counts the others', async () => {
    const queue = open({ maxMadeBytes: 10_000 });
    failure = new ApiError('unavailable', 'away');
    for (let number = 0; number < 300; number++) queue.add(entry(number));
    await until(() => calls === 1 && clock.timers > 0);
    for (let turns = 0; turns < 300; turns++) await new Promise((resolve) => setImmediate(resolve));
    failure = undefined;
    clock.turn(500);
    await until(() => kept.length > 20);
    queue.add(entry(300));
    await until(() => numbers().includes(300));
    expect(numbers().length + missed().reduce((sum, count) => sum + count, 0)).to.equal(301);
    expect(numbers().length).to.be.below(60);
  });

  it('counts entries that are refused or cannot be made, and goes on', async () => {
    const queue = open();
    failure = new ApiError('bad_request', 'no');
    queue.add(entry(1));
    await until(() => calls === 1);
    failure = undefined;
    queue.add(entry(2, { make: () => Promise.reject(new Error('no picture')) }));
    queue.add(entry(3));
    await until(() => numbers().length === 1);
    expect([numbers(), missed()]).to.deep.equal([[3], [2]]);
  });

  it('ends in time while the database is away', async () => {
    const queue = open();
    failure = new ApiError('unavailable', 'away');
    queue.add(entry(1));
    await until(() => calls === 1);
    const closing = queue.close();
    clock.turn(TIMELINE_QUEUE.closeMs);
    await closing;
    expect(kept).to.deep.equal([]);
  });

  it('sends what waits when it ends', async () => {
    const queue = open();
    for (let number = 0; number < 5; number++) queue.add(entry(number));
    await queue.close();
    expect(numbers()).to.have.length(5);
  });

  it('bounds every part of an entry', () => {
    const made = newEntry({
      phoneId: 'ph_1',
      atMs: 0,
      kind: TimelineKind.ACT,
      request: { text: 'x'.repeat(20_000) },
      outcome: 'done',
      changed: `${'x'.repeat(3_999)}😀`,
      message: 'm'.repeat(5_000),
      durationMs: 1e12,
    });
    expect(made.request).to.equal('{"too_large":true}');
    expect([made.changed?.length, made.message?.length, made.durationMs]).to.deep.equal([3_999, 1_000, 2_147_483_647]);
  });
});
