import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { LeaseEnd } from '../../proto/gen/cloudphone/device/v1/lease_pb.js';
import { LeaseService } from '../../proto/gen/cloudphone/device/v1/lease_service_pb.js';
import { settled } from '../../testing/fake-clock.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const TTL_S = 30;

describe('leases whose service is killed', function () {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('leases@example.com');
    await customer.credit('100');
    await customer.create({ name: 'one' });
    await world.idle();
  });
  afterEach(() => world.close());

  const leases = () => createClient(LeaseService, joinInMemory(world.service.rpc, undefined));
  const take = (atEnd = LeaseEnd.KEEP) =>
    leases().createLease({ device: 'one', ttlS: TTL_S, atEnd }, { headers: customer.headers });
  const document = async () => (await world.stores.devices.findByName(customer.accountId, 'one'))!;

  /** Lets seconds pass, a second at a time, as the watch of leases runs. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      world.clock.turn(1_000);
      // The service gets the time of some calls to its database, however slow that is.
      for (let call = 0; call < 4; call++) {
        await document();
        await settled();
      }
    }
  }

  /** Lets time pass until nobody has the phone and no job is at work on it. */
  async function free(what: string): Promise<void> {
    await pass(TTL_S);
    for (let second = 0; second < 120; second++) {
      const { lease, job } = await document();
      if (lease === undefined && job === undefined) return;
      await pass(1);
    }
    throw new Error(`the phone did not become free: ${what}`);
  }

  async function killAfter(calls: number, work: () => Promise<unknown>): Promise<void> {
    world.dieAfter(calls);
    void work().catch(() => undefined);
    for (let turn = 0; turn < 30; turn++) await settled();
    world.kill();
    await world.begin();
  }

  it('are there or not, end by their time, and leave the phone stopped, wherever a kill comes at their beginning', async () => {
    for (let calls = 0; calls < 14; calls++) {
      await killAfter(calls, () => take(LeaseEnd.STOP));
      await world.idle();
      const { lease } = await document();
      await free(`killed after ${calls} calls`);
      const after = await document();
      expect(after.state, `after ${calls} calls`).to.equal(lease === undefined ? 'running' : 'stopped');
      if (lease !== undefined) await customer.start('one');
      await world.idle();
    }
  });

  it('end once, with one job, wherever a kill comes at their end', async () => {
    for (let calls = 0; calls < 14; calls++) {
      const { lease } = await take(LeaseEnd.STOP);
      await killAfter(calls, () => leases().endLease({ id: lease!.id }, { headers: customer.headers }));
      await free(`killed after ${calls} calls`);
      expect((await customer.get('one')).state, `after ${calls} calls`).to.equal(DeviceState.STOPPED);
      await customer.start('one');
      await world.idle();
    }
  });

  it('are had by one at a time, whatever calls come at once and are killed', async () => {
    for (let round = 0; round < 10; round++) {
      const taking = Array.from({ length: 8 }, () => take().catch(() => undefined));
      if (round % 2 === 1) {
        for (let turn = 0; turn < round; turn++) await settled();
        world.kill();
        await world.begin();
      } else {
        expect((await Promise.all(taking)).filter((one) => one !== undefined)).to.have.length(1);
      }
      await free(`round ${round}`);
    }
  });

  it('wait for the job that is at work on the phone at their end', async () => {
    const { lease } = await take(LeaseEnd.STOP);
    let open = (): void => undefined;
    // The restart is at work until the lease has ended.
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await customer.restart('one');
    await leases().endLease({ id: lease!.id }, { headers: customer.headers });
    const refused = await take().catch((error: unknown) => error as { kind?: string; message: string });
    expect(refused).to.have.property('message').that.contains('not free yet');
    open();
    await free('after the restart');
    expect((await customer.get('one')).state).to.equal(DeviceState.STOPPED);
  });
});
