import { expect } from 'chai';
import { DEFAULT_PRICES, NO_PRICES } from '../../device-service/accounts/billing/prices.js';
import { readDeviceConfig } from '../../device-service/config.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceState, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;

describe('the prices that the operator sets', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:10Z'));
    customer = await world.customer('c@example.com');
  });
  afterEach(() => world.close());

  /** Starts the service again, as an operator does who changed its settings. */
  async function restartWith(prices: typeof DEFAULT_PRICES): Promise<void> {
    await world.service.close();
    world.prices = prices;
    await world.begin();
  }

  const balance = async (): Promise<string> => (await customer.account()).balance;

  it('are charged for minutes and months, and bound the trial', async () => {
    await restartWith({ billing: true, minuteMicros: 100_000, monthMicros: 2_500_000, trialMinutes: 3 });
    expect((await customer.account()).trial?.minutesLeft).to.equal(3);
    await customer.credit('3.00');
    await customer.create({ name: 'm', plan: Plan.MONTH, start: false });
    await world.idle();
    expect(await balance()).to.equal('0.50');
    await customer.create({ name: 'a' });
    await world.idle();
    await world.pass(MINUTE_MS);
    expect(await balance()).to.equal('0.30');
    // The third minute from here is not covered.
    for (let minute = 0; minute < 4; minute++) await world.pass(MINUTE_MS);
    expect((await customer.get('a')).state).to.equal(DeviceState.STOPPED);
    expect(await balance()).to.equal('0.00');
    const refused: unknown = await customer.start('a').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ApiError);
    expect((refused as ApiError).message).to.contain('0.10 USD');
  });

  it('without billing refuse, charge and stop nothing, and minutes are counted at no cost', async () => {
    await restartWith(NO_PRICES);
    await customer.create({ name: 'a' });
    await customer.create({ name: 'b' });
    await customer.create({ name: 'm', plan: Plan.MONTH });
    await world.idle();
    for (let minute = 0; minute < 40; minute++) await world.pass(MINUTE_MS);
    for (const name of ['a', 'b', 'm']) expect((await customer.get(name)).state, name).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.00');
    expect((await customer.account()).trial?.minutesLeft).to.equal(0);
    const usage = await customer.usage();
    expect(usage.total).to.include({ minutes: 82, cost: '0.00' });
    const lines = await world.stores.entries.listAll((await world.stores.devices.listAll(1))[0]!.accountId);
    expect(lines.every(({ amountMicros }) => Object.is(amountMicros, 0))).to.equal(true);
  });

  it('without billing start phones of an account that owes', async () => {
    await customer.credit('12.00');
    await customer.create({ name: 'm', plan: Plan.MONTH, start: false });
    await world.idle();
    const { accountId } = (await world.stores.devices.listAll(1))[0]!;
    const [last] = (await world.stores.entries.listAll(accountId)).slice(-1);
    await world.stores.entries.insert([
      { ...last!, _id: last!._id.replace(/.$/, '9'), seq: 9, kind: 'reversal', dedupe: 'r', balanceMicros: -5_000_000 },
    ]);
    expect(await customer.start('m').catch((error: unknown) => (error as ApiError).kind)).to.equal(
      'insufficient_funds',
    );
    await restartWith(NO_PRICES);
    await customer.start('m');
    await world.idle();
    expect((await customer.get('m')).state).to.equal(DeviceState.RUNNING);
  });

  it('with billing on again charge running phones, and use the trial that was not used', async () => {
    await restartWith(NO_PRICES);
    await customer.create({ name: 'a' });
    await world.idle();
    await world.pass(MINUTE_MS);
    await restartWith(DEFAULT_PRICES);
    // The first turn finds out that the phone lives on.
    await world.pass(1_000);
    await world.pass(MINUTE_MS);
    // It runs on neither credit nor trial; a start gets the trial.
    expect((await customer.get('a')).state).to.equal(DeviceState.STOPPED);
    expect((await customer.account()).trial?.minutesLeft).to.equal(30);
    await customer.start('a');
    await world.idle();
    await world.pass(MINUTE_MS);
    expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
    expect((await customer.account()).trial?.minutesLeft).to.equal(28);
  });

  it('are read from the settings, and faults are named', () => {
    const read = (environment: NodeJS.ProcessEnv) => readDeviceConfig(environment, false).prices;
    expect(read({})).to.deep.equal(DEFAULT_PRICES);
    expect(read({ BILLING: 'off', PRICE_MINUTE: '1' })).to.deep.equal(NO_PRICES);
    expect(read({ PRICE_MINUTE: '0.01', PRICE_MONTH: '0', TRIAL_MINUTES: '0' })).to.deep.equal({
      ...{ billing: true, minuteMicros: 10_000, monthMicros: 0, trialMinutes: 0 },
    });
    for (const value of ['-1', '1e3', '0.0000001', '1001', 'free', '$1']) {
      expect(() => read({ PRICE_MINUTE: value }), value).to.throw('PRICE_MINUTE');
    }
  });
});
