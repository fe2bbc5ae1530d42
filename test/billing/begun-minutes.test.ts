import { expect } from 'chai';
import { settled } from '../../testing/fake-clock.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;

describe('account and usage, between two runs of the meter', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    // Ten seconds before a minute, and the month, is over.
    world = await ServiceWorld.open(Date.parse('2037-01-31T23:59:50Z'));
    customer = await world.customer('c@example.com');
  });
  afterEach(() => world.close());

  async function running(name: string): Promise<void> {
    await customer.create({ name });
    await world.idle();
  }

  async function shown(range?: { from: string; to: string }) {
    const { balance } = await customer.account();
    const { total } = await customer.usage(range);
    return { balance, minutes: total?.minutes, cost: total?.cost };
  }

  const byDay = async (): Promise<string[]> =>
    (await customer.usageDays(both)).map(({ day, device, minutes, cost }) => `${day} ${device} ${minutes} ${cost}`);

  const both = { from: '2037-01-01', to: '2037-02-28' };

  it('include the first minute of a device, once', async () => {
    await customer.credit('1.00');
    await running('a');
    const lines = (await customer.ledger()).length;
    expect(await shown()).to.deep.equal({ balance: '0.996', minutes: 1, cost: '0.004' });
    expect(await customer.ledger()).to.have.length(lines);
    await world.service.meter();
    expect(await customer.ledger()).to.have.length(lines + 1);
    expect(await shown()).to.deep.equal({ balance: '0.996', minutes: 1, cost: '0.004' });
  });

  it('include each minute from its beginning, on the day that it is of', async () => {
    await customer.credit('1.00');
    await running('a');
    await world.service.meter();
    world.clock.turn(9_999);
    expect(await shown(both)).to.deep.equal({ balance: '0.996', minutes: 1, cost: '0.004' });
    world.clock.turn(1);
    expect(await shown(both)).to.deep.equal({ balance: '0.992', minutes: 2, cost: '0.008' });
    // Without dates it is this month, which is February now.
    expect(await shown()).to.deep.equal({ balance: '0.992', minutes: 1, cost: '0.004' });
    expect((await customer.usage(both)).devices[0]).to.include({ device: 'a', minutes: 2, cost: '0.008' });
    expect(await byDay()).to.deep.equal(['2037-01-31 a 1 0.004', '2037-02-01 a 1 0.004']);
    world.clock.turn(3 * MINUTE_MS);
    expect(await byDay()).to.deep.equal(['2037-01-31 a 1 0.004', '2037-02-01 a 4 0.016']);
    expect(await shown(both)).to.deep.equal({ balance: '0.98', minutes: 5, cost: '0.02' });
    await world.service.meter();
    expect(await shown(both)).to.deep.equal({ balance: '0.98', minutes: 5, cost: '0.02' });
    expect(await byDay()).to.deep.equal(['2037-01-31 a 1 0.004', '2037-02-01 a 4 0.016']);
  });

  it('agree with each other at any moment', async () => {
    await customer.credit('0.50');
    await running('a');
    await running('b');
    for (let turns = 0; turns < 20; turns++) {
      world.clock.turn(7_000);
      if (turns % 3 === 0) await world.service.meter();
      const { balance, minutes, cost } = await shown(both);
      expect((Number(balance) + Number(cost)).toFixed(6)).to.equal('0.500000');
      expect(((minutes ?? 0) * 0.004).toFixed(6)).to.equal(Number(cost).toFixed(6));
    }
  });

  it('include no minute that the balance does not cover', async () => {
    await customer.credit('0.006');
    await running('a');
    world.clock.turn(MINUTE_MS);
    expect(await shown(both)).to.deep.equal({ balance: '0.002', minutes: 1, cost: '0.004' });
  });

  it('include minutes of the trial', async () => {
    await running('a');
    expect((await customer.account()).trial).to.include({ minutesLeft: 29 });
    world.clock.turn(MINUTE_MS);
    expect((await customer.account()).trial).to.include({ minutesLeft: 28 });
    expect(await shown(both)).to.deep.equal({ balance: '0.00', minutes: 2, cost: '0.00' });
  });

  it('include a run that is being stopped up to the time of the request', async () => {
    await customer.credit('1.00');
    await running('a');
    world.clock.turn(MINUTE_MS);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const stop = world.driver.stop.bind(world.driver);
    world.driver.stop = async (phoneId) => {
      await gate;
      await stop(phoneId);
    };
    await customer.stop('a');
    await settled();
    world.clock.turn(MINUTE_MS);
    expect(await shown(both)).to.deep.equal({ balance: '0.992', minutes: 2, cost: '0.008' });
    open();
    await world.idle();
    expect(await shown(both)).to.deep.equal({ balance: '0.992', minutes: 2, cost: '0.008' });
  });

  it('include no time in which it is not known whether the phone ran', async () => {
    await customer.credit('1.00');
    await running('a');
    await world.service.meter();
    world.kill();
    for (const phone of world.driver.phones.keys()) world.driver.phones.set(phone, 'stopped');
    world.clock.turn(30 * MINUTE_MS);
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await world.begin();
    expect(await shown(both)).to.deep.equal({ balance: '0.996', minutes: 1, cost: '0.004' });
    open();
    await world.idle();
    expect(await shown(both)).to.deep.equal({ balance: '0.992', minutes: 2, cost: '0.008' });
  });
});
