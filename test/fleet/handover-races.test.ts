import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { newJob } from '../../device-service/record/new-job.js';
import { leaseEvent } from '../../device-service/store/lease.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { HandoverState } from '../../proto/gen/cloudphone/device/v1/handover_pb.js';
import { HandoverService } from '../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { LeaseService } from '../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

describe('hand-overs beside other changes of their devices', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('races@example.com');
    await customer.credit('100');
    await customer.create({ name: 'one' });
    await world.idle();
  });
  afterEach(() => world.close());

  const way = () => joinInMemory(world.service.rpc, undefined);
  const headers = () => ({ headers: customer.headers });
  const handovers = () => createClient(HandoverService, way());
  const leases = () => createClient(LeaseService, way());
  const begin = async (name = 'one') =>
    (await handovers().createHandover({ name, reason: 'Type the code', timeoutS: 30 }, headers())).handover!;
  const document = async (name = 'one') => (await world.stores.devices.findByName(customer.accountId, name))!;

  it('keep a device from being freed while a person has it, and its lease ends once they are cancelled', async () => {
    await leases().createLease({ device: 'one' }, headers());
    const { id } = await begin();
    const at = new Date(world.clock.now());
    const marked = (await world.stores.devices.leases.markEnded(await document(), { at, reason: 'released' }))!;
    const free = { at, event: leaseEvent(marked.lease!, at, 'released') };
    expect(await world.stores.devices.leases.free(marked, free)).to.equal(undefined);
    world.clock.turn(1_000);
    await until(async () => (await document()).lease === undefined);
    const [cancelled] = (await handovers().listHandovers({ name: 'one' }, headers())).handovers;
    expect([cancelled?.id, cancelled?.state]).to.deep.equal([id, HandoverState.CANCELLED]);
  });

  it('let neither a step of a person’s group nor a key begin a job, and a person may', async () => {
    await begin();
    const { _id, state } = await document();
    const claim = (keyId: string, isProgram: boolean) =>
      world.stores.devices.claims.byId(_id, [state], newJob(world.clock, { kind: 'stop' }), {}, { keyId, isProgram });
    expect(await claim('ses_1', true)).to.equal(undefined);
    expect(await claim('key_1', false)).to.equal(undefined);
    expect(await claim('ses_1', false)).to.include({ _id });
  });

  it('are cancelled where their caller leaves while they begin', async () => {
    const request = { name: 'one', reason: 'Type the code', timeoutS: 30 };
    for (let turns = 0; turns < 20; turns++) {
      const leaving = new AbortController();
      const beginning = handovers().createHandover(request, { ...headers(), signal: leaving.signal });
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      leaving.abort();
      const begun = await beginning.catch(() => undefined);
      // A caller that left after the response was made leaves a hand-over, which ends by its time.
      const { id } = begun?.handover ?? (await document()).handover ?? {};
      if (id !== undefined)
        await handovers()
          .cancelHandover({ name: 'one', id }, headers())
          .catch(() => undefined);
      await until(async () => (await document()).handover === undefined);
    }
    const past = (await document()).pastHandovers ?? [];
    expect(past.some(({ ended }) => ended.state === 'cancelled' && ended.by === undefined)).to.equal(true);
  });

  it('do not begin, nor do leases, while too many events of their device wait to be sent', async () => {
    const { _id } = await document();
    const events = Array.from({ length: 300 }, (_, at) => ({ id: `evt_${at}` }));
    await world.database.collection<{ _id: string }>('devices').updateOne({ _id }, { $set: { deviceEvents: events } });
    const refused = [begin(), leases().createLease({ device: 'one' }, headers())];
    for (const one of refused)
      expect(String(await one.catch((error: unknown) => error))).to.contain('300 events of "one"');
    await world.database.collection<{ _id: string }>('devices').updateOne({ _id }, { $unset: { deviceEvents: '' } });
    await begin();
  });

  it('begin while the lease of their device is renewed', async () => {
    const { lease } = await leases().createLease({ device: 'one' }, headers());
    for (let round = 0; round < 20; round++) {
      world.clock.turn(1);
      const renewing = leases().renewLease({ id: lease!.id, ttlS: 600 + round }, headers());
      const [begun] = await Promise.all([begin(), renewing]);
      await handovers().cancelHandover({ name: 'one', id: begun.id }, headers());
    }
    expect((await handovers().listHandovers({ name: 'one' }, headers())).handovers).to.have.length(20);
    expect(await world.stores.shares.list((await document())._id)).to.deep.equal([]);
  });

  it('are ended by their time, however many devices with one are being deleted', async () => {
    await begin();
    const { _id } = await document();
    const devices = world.database.collection<{ _id: string }>('devices');
    const later = new Date(world.clock.now() + 31_000);
    expect((await world.stores.devices.handovers.findOver(later, 10)).map((device) => device._id)).to.deep.equal([_id]);
    await devices.updateOne({ _id }, { $set: { state: 'deleting' } });
    expect(await world.stores.devices.handovers.findOver(later, 10)).to.deep.equal([]);
  });
});
