import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { runningDocument } from '../../../testing/device-document.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { openStores, type Stores } from '../../store/stores.js';
import type { AccountsContext } from '../accounts-context.js';
import { accountsContext } from '../../../testing/accounts-context.js';
import { accountNow } from './account-now.js';
import { minutePosting, minutePrice, minuteOf } from './charges.js';
import { DEFAULT_PRICES } from './prices.js';
import { Ledger } from './ledger.js';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2037-01-31T10:00:00Z');

describe('an account at this moment', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;
  let ledger: Ledger;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock(START_MS);
    stores = await openStores(opened.database, { clock, log: silentLog });
    ledger = new Ledger(stores.entries, clock);
    const credit = { kind: 'credit' as const, at: new Date(START_MS), dedupe: 'credit/1', minutes: 0 };
    await ledger.post('acc_1', [credit], () => ({ amountMicros: 1_000_000 }));
  });
  afterEach(() => opened.close());

  const running = (more: Parameters<typeof runningDocument>[0] = {}) =>
    runningDocument({ startedAt: new Date(START_MS), ...more });

  async function spent(more: Partial<AccountsContext> = {}): Promise<number> {
    const context = accountsContext(stores, clock, { ledger, ...more });
    return 1_000_000 - (await accountNow(context, 'acc_1')).standing.balanceMicros;
  }

  async function addHost(
    id: string,
    { seenMs, leaseUntilMs }: { seenMs: number; leaseUntilMs: number },
  ): Promise<void> {
    await stores.hosts.insert({
      ...{ _id: id, folderId: id, epoch: 1, drivers: [] },
      ...{ seenAt: new Date(seenMs), leaseUntil: new Date(leaseUntilMs) },
    });
  }

  const charge = (minuteMs: number): Promise<unknown> =>
    ledger.post(
      'acc_1',
      [minutePosting(running(), minuteOf(minuteMs))],
      minutePrice({ state: 'used' }, DEFAULT_PRICES),
    );

  it('has the minutes of devices of every host that is alive', async () => {
    await addHost('host-2', { seenMs: START_MS, leaseUntilMs: START_MS + 10 * MINUTE_MS });
    await stores.devices.insert(running());
    await stores.devices.insert(running({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two', hostId: 'host-2' }));
    clock.turn(2 * MINUTE_MS);
    expect(await spent()).to.equal(2 * 3 * 4_000);
  });

  it('has the minutes of a host that is away up to when it was last heard of', async () => {
    await addHost('host-2', { seenMs: START_MS + MINUTE_MS, leaseUntilMs: START_MS + MINUTE_MS + 15_000 });
    await stores.devices.insert(running({ hostId: 'host-2' }));
    clock.turn(30 * MINUTE_MS);
    expect(await spent()).to.equal(2 * 4_000);
  });

  it('has no minutes of phones that are lost, or not compared yet, nor of a host that is unknown', async () => {
    await stores.devices.insert(running());
    await stores.devices.insert(running({ _id: 'ph_2', nameKey: 'acc_1/two', lostAt: new Date(START_MS) }));
    await stores.devices.insert(running({ _id: 'ph_3', nameKey: 'acc_1/three', hostId: 'host-3' }));
    expect(await spent({ isDoubtful: ({ _id }) => _id === 'ph_1' })).to.equal(0);
  });

  it('has an hour of minutes that are behind, and no more, as the meter charges it', async () => {
    await stores.devices.insert(running());
    await charge(START_MS);
    clock.turn(500 * MINUTE_MS);
    expect(await spent()).to.equal(61 * 4_000);
  });

  it('has nothing of devices that are paid by the month', async () => {
    await stores.devices.insert(running({ plan: 'month' }));
    expect(await spent()).to.equal(0);
  });

  it('has each minute once, though the meter charges it meanwhile', async () => {
    await stores.devices.insert(running());
    const { entries } = stores;
    for (const moment of ['findLast', 'findWritten'] as const) {
      clock.turn(MINUTE_MS);
      let charged = false;
      const disturbed = new Proxy(entries, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return async (...args: unknown[]) => {
            const found: unknown = await member.apply(target, args);
            if (name === moment && !charged) {
              charged = true;
              await charge(START_MS);
              await charge(clock.now());
            }
            return found;
          };
        },
      });
      const minutes = clock.now() === START_MS + MINUTE_MS ? 2 : 3;
      expect(await spent({ entries: disturbed }), moment).to.equal(minutes * 4_000);
      expect(charged).to.equal(true);
    }
  });
});
