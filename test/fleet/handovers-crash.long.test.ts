import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { HandoverState } from '../../proto/gen/cloudphone/device/v1/handover_pb.js';
import { HandoverService } from '../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { settled } from '../../testing/fake-clock.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const TIMEOUT_S = 30;

describe('hand-overs whose service is killed', function () {
  let world: ServiceWorld;
  let customer: Customer;
  /** The events that were published, by their ids: each is kept once, as the webhook service does. */
  let published: Map<string, string>;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    published = new Map();
    world.events = createClient(
      EventService,
      createRouterTransport(({ service: implement }) =>
        implement(EventService, {
          record: ({ events }) => {
            for (const { id, type, payload } of events) {
              const { handover } = JSON.parse(Buffer.from(payload).toString('utf8')) as { handover?: { id: string } };
              if (handover !== undefined) published.set(id, `${type} ${handover.id}`);
            }
            return {};
          },
        }),
      ),
    );
    world.kill();
    await world.begin();
    customer = await world.customer('handovers@example.com');
    await customer.credit('100');
    await customer.create({ name: 'one' });
    await world.idle();
  });
  afterEach(() => world.close());

  const service = () => createClient(HandoverService, joinInMemory(world.service.rpc, undefined));
  const headers = () => ({ headers: customer.headers });
  const begin = () =>
    service().createHandover({ name: 'one', reason: 'Type the code', timeoutS: TIMEOUT_S }, headers());
  const list = async () => (await service().listHandovers({ name: 'one' }, headers())).handovers;
  const document = async () => (await world.stores.devices.findByName(customer.accountId, 'one'))!;
  /** Lets seconds pass, a second at a time, as the watch of hand-overs runs. */
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

  async function killAfter(calls: number, work: () => Promise<unknown>): Promise<void> {
    world.dieAfter(calls);
    await Promise.race([work().catch(() => undefined), world.cut()]);
    world.kill();
    await world.begin();
    await world.idle();
  }

  it('are there or not, and end by their time with one event each, wherever a kill comes at their beginning', async () => {
    const ids = new Set<string>();
    for (let calls = 0; calls < 25; calls++) {
      await killAfter(calls, begin);
      const [newest] = await list();
      const isNew = newest !== undefined && !ids.has(newest.id);
      if (isNew) {
        ids.add(newest.id);
        expect(newest.state, `after ${calls} calls`).to.equal(HandoverState.WAITING);
        // No program acts meanwhile: a job of a key is refused.
        expect(
          await customer.restart('one').then(
            () => 'accepted',
            () => 'refused',
          ),
        ).to.equal('refused');
      }
      await pass(TIMEOUT_S + 2);
      if (isNew) expect((await list())[0]?.state).to.equal(HandoverState.EXPIRED);
      expect((await document()).handover).to.equal(undefined);
      expect((await world.stores.shares.list((await document())._id)).length, 'shares').to.be.lessThan(20);
    }
    expect(ids.size).to.be.greaterThan(5);
    const seen = [...published.values()].filter((event) => event.startsWith('handover.'));
    expect(seen).to.have.members([...ids].flatMap((id) => [`handover.begun ${id}`, `handover.ended ${id}`]));
  });

  it('end once, as cancelled or by their time, wherever a kill comes at their end', async () => {
    let cancelled = 0;
    for (let calls = 0; calls < 25; calls++) {
      const { handover } = await begin();
      const { id } = handover!;
      await killAfter(calls, () => service().cancelHandover({ name: 'one', id }, headers()));
      await pass(TIMEOUT_S + 2);
      const state = (await list()).find((one) => one.id === id)?.state;
      expect(state, `after ${calls} calls`).to.be.oneOf([HandoverState.CANCELLED, HandoverState.EXPIRED]);
      if (state === HandoverState.CANCELLED) cancelled++;
      const ended = [...published.values()].filter((event) => event === `handover.ended ${id}`);
      expect(ended, `after ${calls} calls`).to.have.length(1);
    }
    expect(cancelled).to.be.greaterThan(5);
  });
});
