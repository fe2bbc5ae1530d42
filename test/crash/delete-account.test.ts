import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { CLAIM_MS } from '../../device-service/accounts/quotas/quotas.js';
import { newUploadId } from '../../device-service/accounts/quotas/upload-claims.js';
import type { ApiError } from '../../kit/errors/api-error.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { Day } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

/** More calls to the database than the last round of a deletion takes. */
const MAX_CALLS = 19;

/** The operator's books, which stay: the ledger and the sums made of it. */
const BOOKS = ['ledger', 'usage_days', 'summed_ledgers'];
const OTHERS = [
  ...[
    'accounts',
    'devices',
    'groups',
    'jobs',
    'keys',
    'library',
    'reservations',
    'schedules',
    'sessions',
    'snapshots',
    'timeline',
  ],
];

describe('the deletion of an account', function () {
  this.timeout(60_000);
  let world: ServiceWorld;
  beforeEach(async () => {
    world = await ServiceWorld.open();
  });
  afterEach(() => world.close());

  const operator = () => createClient(AdminService, joinInMemory(world.service.rpc, undefined));
  /** Returns how much the database still has of an account, by collection. */
  const leftOf = async (accountId: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const name of [...BOOKS, ...OTHERS]) {
      const count = await world.database.collection(name).countDocuments({
        $or: [{ accountId }, { _id: accountId as never }],
      });
      if (count > 0) counts[name] = count;
    }
    return counts;
  };

  async function customerWithAll(email: string): Promise<Customer> {
    const customer = await world.customer(email);
    await customer.credit('5.00');
    await customer.create({ name: 'runs' });
    await customer.create({ name: 'stopped', start: false });
    await world.idle();
    await customer.snapshots().createSnapshot({ name: 'runs' }, { headers: customer.headers });
    await world.idle();
    const steps = [{ kind: { case: 'wait' as const, value: { ms: 1 } } }];
    await customer.schedule({ devices: ['runs'], days: [Day.MON], time: '10:00', timezone: 'UTC', steps });
    await customer.group({ devices: ['runs'], steps });
    await world.stores.timeline.insert([
      {
        ...{ _id: `tl_${customer.accountId}`, accountId: customer.accountId, phoneId: 'ph_gone' },
        ...{ at: new Date(world.clock.now()), kind: 'act', key: 'k', request: '{}', outcome: 'done' },
        ...{ durationMs: 1, app: '', bytes: 10 },
      },
    ]);
    await world.stores.library.put({
      ...{ accountId: customer.accountId, name: 'shop', package: 'org.example', version: '1', sizeBytes: 1 },
      ...{ sha256: 'a'.repeat(64), uploadedAt: new Date(world.clock.now()) },
    });
    return customer;
  }

  it('is refused while the account is in use', async () => {
    const { accountId } = await customerWithAll('c@example.com');
    const error: unknown = await operator()
      .deleteAccount({ email: 'c@example.com' })
      .catch((reason: unknown) => reason);
    expect((error as ApiError).message).to.include('account disable --email c@example.com');
    expect(await leftOf(accountId)).to.include({ accounts: 1, devices: 2, keys: 1 });
  });

  it('waits for an upload to the library that is under way, or whose process has ended', async () => {
    const { accountId } = await world.customer('c@example.com');
    const begun = { [newUploadId(world.clock.now())]: { devices: 0, bytes: 1, at: new Date(world.clock.now()) } };
    expect(await world.stores.accounts.setClaims(accountId, 0, begun)).to.equal(true);
    await operator().disableAccount({ email: 'c@example.com' });
    expect((await operator().deleteAccount({ email: 'c@example.com' })).devices).to.equal(1);
    expect(await world.stores.accounts.find(accountId)).not.to.equal(null);
    world.clock.turn(CLAIM_MS);
    expect((await operator().deleteAccount({ email: 'c@example.com' })).devices).to.equal(0);
    expect(await world.stores.accounts.find(accountId)).to.equal(null);
  });

  it('leaves nothing but the books, wherever it was killed', async () => {
    const other = await customerWithAll('other@example.com');
    // Jobs are filed at any time.
    const before = await leftOf(other.accountId);
    delete before['jobs'];
    const responded: boolean[] = [];
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const email = `c${calls}@example.com`;
      const { accountId } = await customerWithAll(email);
      expect(Object.keys(await leftOf(accountId))).to.include.members([
        ...['accounts', 'devices', 'ledger', 'groups', 'keys', 'library', 'schedules', 'snapshots', 'timeline'],
      ]);
      await operator().disableAccount({ email });
      await world.idle();
      expect((await operator().deleteAccount({ email })).devices).to.equal(2);
      await world.idle();

      world.dieAfter(calls);
      const last = operator().deleteAccount({ email });
      responded.push(await Promise.race([last.then(() => true), world.cut().then(() => false)]));
      world.kill();
      await world.begin();
      if ((await world.stores.accounts.find(accountId)) !== null)
        expect((await operator().deleteAccount({ email })).devices).to.equal(0);
      expect(Object.keys(await leftOf(accountId)).filter((name) => !BOOKS.includes(name))).to.deep.equal([]);
      expect(await leftOf(accountId), `after ${calls} calls`).to.include.keys('ledger');
    }
    // So that every call of the work had its kill.
    expect(responded).to.include(false).and.to.include(true);
    expect(await leftOf(other.accountId)).to.include(before);
  });
});
