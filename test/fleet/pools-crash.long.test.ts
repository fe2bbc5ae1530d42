import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { LeaseService } from '../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { LibraryService } from '../../proto/gen/cloudphone/device/v1/library_service_pb.js';
import { PoolService } from '../../proto/gen/cloudphone/device/v1/pool_service_pb.js';
import { settled } from '../../testing/fake-clock.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const READY = 3;
const MAX_PHONES = 5;

describe('pools whose service is killed', function () {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('pools@example.com');
    await customer.credit('1000');
  });
  afterEach(() => world.close());

  const pools = () => createClient(PoolService, joinInMemory(world.service.rpc, undefined));
  const leases = () => createClient(LeaseService, joinInMemory(world.service.rpc, undefined));
  const headers = () => ({ headers: customer.headers });
  const put = (init: object = {}) =>
    pools().putPool({ name: 'ci', model: 'phone-720p', ready: READY, most: MAX_PHONES, ...init }, headers());
  const phones = async () => (await pools().getPool({ name: 'ci' }, headers())).pool!.phones!;
  const devices = async () => (await world.stores.devices.listAll(100)).filter(({ gone }) => gone !== true);

  /** Lets seconds pass, a second at a time. In each, the service gets the time of some calls to its database, however slow that is. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      world.clock.turn(1_000);
      for (let call = 0; call < 6; call++) {
        await world.stores.pools.count(customer.accountId);
        await settled();
      }
    }
  }

  /** Lets time pass until the pool has its number, at most two minutes. */
  async function filled(what: string): Promise<void> {
    for (let second = 0; second < 120; second++) {
      const { ready, leased, starting } = await phones();
      expect((await devices()).length, what).to.be.at.most(MAX_PHONES);
      if (ready === READY && leased === 0 && starting === 0) return;
      await pass(1);
    }
    throw new Error(`the pool has not got its number: ${what}`);
  }

  it('get their number, and never more phones than their most, wherever a kill comes', async () => {
    await put();
    for (let calls = 0; calls < 160; calls += 8) {
      world.dieAfter(calls);
      for (let turn = 0; turn < 20; turn++) {
        world.clock.turn(250);
        await settled();
      }
      world.kill();
      await world.begin();
      await filled(`killed after ${calls} calls`);
      // One phone is taken and deleted, so that there is something to do in the next round.
      const { lease } = await leases().createLease({ pool: 'ci', ttlS: 30 }, headers());
      await leases().endLease({ id: lease!.id }, headers());
    }
    await filled('at the end');
    expect((await devices()).length).to.equal(READY);
  });

  it('charge each minute of a phone once', async () => {
    await put();
    for (let round = 0; round < 6; round++) {
      world.dieAfter(10 + round * 9);
      await pass(20);
      world.kill();
      await world.begin();
      await filled(`round ${round}`);
      await world.service.meter();
    }
    const minutes = (await customer.ledger()).filter(({ kind }) => kind === 'minute');
    expect(minutes.length).to.be.at.least(READY);
    const charged = minutes.map(({ device, at }) => `${device?.phoneId} ${Math.floor(at.getTime() / 60_000)}`);
    expect(new Set(charged).size).to.equal(charged.length);
  });

  it('are gone with all of their phones when they are deleted, wherever a kill comes', async () => {
    for (let calls = 0; calls < 60; calls += 6) {
      await put();
      await filled('before the deletion');
      await pools().deletePool({ name: 'ci' }, headers());
      world.dieAfter(calls);
      await pass(2);
      world.kill();
      await world.begin();
      const left = async (): Promise<number> =>
        (await devices()).length + (await world.database.collection('pools').countDocuments());
      for (let second = 0; second < 200 && (await left()) > 0; second++) await pass(1);
      expect(await left(), `killed after ${calls} calls`).to.equal(0);
    }
  });

  it('are not left with an app that is deleted while they are put', async () => {
    const library = () => createClient(LibraryService, joinInMemory(world.service.rpc, undefined));
    const apps = world.database.collection<{ _id: string }>('library');
    const app = { accountId: customer.accountId, name: 'shop', sha256: 'a'.repeat(64), sizeBytes: 1, package: 'com.x' };
    const _id = `${customer.accountId}/shop`;
    for (let round = 0; round < 40; round++) {
      const at = new Date(world.clock.now());
      await apps.updateOne(
        { _id },
        { $set: { ...app, version: '1', uploadedAt: at, idleSince: at } },
        { upsert: true },
      );
      const putting = put({ apps: ['my/shop'], ready: 0 }).then(Boolean, () => false);
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const deleting = library()
        .deleteLibraryApp({ name: 'shop' }, headers())
        .then(Boolean, () => false);
      const [isPut, isDeleted] = await Promise.all([putting, deleting]);
      expect(isPut && isDeleted, `round ${round}`).to.equal(false);
      if (isPut) expect(await apps.countDocuments({ _id })).to.equal(1);
      if (isPut) await pools().deletePool({ name: 'ci' }, headers());
      await pass(2);
    }
  });

  it('leave no phone that was made after its pool was forgotten, as by a process that stood still', async () => {
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await put();
    for (let second = 0; second < 60 && (await devices()).length < READY; second++) await pass(1);
    expect(await devices()).to.have.length(READY);
    await world.database.collection('pools').deleteMany({});
    open();
    for (let second = 0; second < 120 && (await devices()).length > 0; second++) await pass(1);
    expect(await devices()).to.deep.equal([]);
  });

  it('do not make and delete phones in a loop where phones fail to boot', async () => {
    world.driver.failure = 'The phone did not boot.';
    await put();
    await pass(600);
    const { pool } = await pools().getPool({ name: 'ci' }, headers());
    expect(pool?.problem?.kind).to.equal('phones');
    // 5, 10, 20, 40, 80, 160, 300 s: some eight rounds of at most MAX_PHONES phones.
    const jobs = await world.database.collection('jobs').countDocuments({ kind: 'create' });
    expect(jobs).to.be.at.most(9 * MAX_PHONES);
    world.driver.failure = undefined;
    await put({ ready: READY - 1 });
    for (let second = 0; second < 120 && (await phones()).ready < READY - 1; second++) await pass(1);
    expect((await phones()).ready).to.equal(READY - 1);
    expect((await pools().getPool({ name: 'ci' }, headers())).pool?.problem).to.equal(undefined);
  });
});
