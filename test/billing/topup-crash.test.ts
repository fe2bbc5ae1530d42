import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import type { PaymentEvent, Payments } from '../../device-service/accounts/topups/payments.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { TopupService } from '../../proto/gen/cloudphone/billing/v1/topup_service_pb.js';
import { type Customer, ServiceWorld } from './service-world.js';

/** A provider whose events need no signature. */
const payments: Payments = {
  openPage: ({ topupId }) => Promise.resolve(`https://pay.example/${topupId}`),
  readEvent: (payload) => Promise.resolve(JSON.parse(Buffer.from(payload).toString()) as PaymentEvent),
};

/** More calls to the database than an event takes. */
const MAX_CALLS = 9;

describe('top-ups, when the service is killed', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(undefined, payments);
    customer = await world.customer('buyer@example.com');
  });
  afterEach(() => world.close());

  const balance = async (): Promise<string> => (await customer.account()).balance;
  const send = (event: PaymentEvent): Promise<unknown> =>
    createClient(TopupService, joinInMemory(world.service.rpc, undefined)).receiveStripeEvent({
      event: { data: Buffer.from(JSON.stringify(event)) },
    });
  const newTopup = async (topupId: string): Promise<PaymentEvent> => {
    const createdAt = new Date(world.clock.now());
    const { accountId } = customer;
    const amountMicros = 5_000_000;
    await world.stores.topups.insert({
      ...{ _id: topupId, accountId, amountMicros, state: 'open' },
      ...{ createdAt, expiresAt: new Date(createdAt.getTime() + 3_600_000) },
    });
    return { kind: 'paid', topupId, amountMicros };
  };

  /**
   * Kills the service after so many calls of its work on an event, starts it, and sends the event again. Returns whether the first had a
   * response.
   */
  const killedAfter = async (calls: number, event: PaymentEvent): Promise<boolean> => {
    world.dieAfter(calls);
    const responded = await Promise.race([send(event).then(() => true), world.cut().then(() => false)]);
    world.kill();
    await world.begin();
    await send(event);
    return responded;
  };

  it('credits a payment once, wherever it was killed', async () => {
    const responded: boolean[] = [];
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      responded.push(await killedAfter(calls, await newTopup(`top_${calls}`)));
      expect(await balance(), `after ${calls} calls`).to.equal(`${5 * (calls + 1)}.00`);
      expect(await world.stores.topups.find(`top_${calls}`)).to.include({ state: 'paid' });
    }
    // So that every call of the work had its kill.
    expect(responded).to.include(false).and.to.include(true);
  });

  it('takes off a refund once, and gives it back once, wherever it was killed', async () => {
    const { topupId } = await newTopup('top_1');
    await send({ kind: 'paid', topupId, amountMicros: 5_000_000 });
    for (let calls = 0; calls < MAX_CALLS; calls++) {
      const refund = { topupId, reversalId: `re_${calls}`, amountMicros: 1_000_000 };
      await killedAfter(calls, { kind: 'reversed', ...refund });
      expect(await balance(), `after ${calls} calls`).to.equal('4.00');
      await killedAfter(calls, { kind: 'reversal_undone', ...refund });
      expect(await balance(), `after ${calls} calls`).to.equal('5.00');
      const noted = await world.stores.topups.find(topupId);
      expect(noted?.reversals?.[refund.reversalId]).to.equal(0);
    }
  });
});
