import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceState, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;

describe('the charge for a month of a device', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    // Ten seconds before a minute is over.
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:50Z'));
    customer = await world.customer('c@example.com');
  });
  afterEach(() => world.close());

  async function refusal(call: Promise<unknown>): Promise<ApiError> {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof ApiError) return error;
    throw new Error(`expected a refusal, got ${String(error)}`);
  }

  const balance = async (): Promise<string> => (await customer.account()).balance;

  it('is 12.00 at creation and on each anniversary, running or not, and no minutes', async () => {
    await customer.credit('40.00');
    await customer.create({ name: 'm', plan: Plan.MONTH });
    await world.idle();
    expect(await balance()).to.equal('28.00');
    await world.pass(27 * 24 * 60 * MINUTE_MS);
    expect(await balance()).to.equal('28.00');
    await customer.stop('m');
    await world.idle();
    await world.pass(24 * 60 * MINUTE_MS); // 28 February
    expect(await balance()).to.equal('16.00');
    await world.pass(31 * 24 * 60 * MINUTE_MS); // 31 March
    expect(await balance()).to.equal('4.00');
    const { devices } = await customer.usage({ from: '2037-01-01', to: '2037-12-31' });
    expect(devices[0]).to.include({ device: 'm', plan: Plan.MONTH, minutes: 0, cost: '36.00' });
  });

  it('stops the device when the next month cannot be paid, until it can', async () => {
    await customer.credit('13.00');
    await customer.create({ name: 'm', plan: Plan.MONTH });
    await world.idle();
    await world.pass(29 * 24 * 60 * MINUTE_MS);
    expect(await customer.get('m')).to.include({ state: DeviceState.STOPPED });
    expect((await refusal(customer.start('m'))).kind).to.equal('insufficient_funds');
    await customer.credit('11.00');
    await customer.start('m');
    await world.idle();
    expect(await balance()).to.equal('0.00');
    expect((await customer.get('m')).state).to.equal(DeviceState.RUNNING);
  });

  it('is given back when the device could not be made', async () => {
    await customer.credit('30.00');
    await customer.create({ name: 'm', plan: Plan.MONTH });
    expect((await refusal(customer.create({ name: 'm', plan: Plan.MONTH }))).kind).to.equal('bad_request');
    expect(await balance()).to.equal('18.00');
  });

  it('is paid for a device that was made, wherever the service was killed, though it is deleted soon', async () => {
    await customer.credit('300.00');
    let made = 0;
    for (let calls = 0; calls < 18; calls++) {
      world.dieAfter(calls);
      const name = `m-${calls}`;
      const creation = customer.create({ name, plan: Plan.MONTH }).catch(() => undefined);
      await Promise.race([creation, world.cut()]);
      world.kill();
      await world.begin();
      await world.idle();
      const devices = await world.stores.devices.listAll(100);
      if (devices.length > 0) {
        made++;
        await customer.remove(name);
        await world.idle();
        await world.pass(MINUTE_MS);
      }
      await world.pass(11 * MINUTE_MS);
      expect(await balance(), `after ${calls} calls`).to.equal(`${300 - 12 * made}.00`);
    }
    expect(made).to.be.within(1, 17);
  });

  it('is given back once a device is deleted whose phone could not be made, wherever the service was killed', async () => {
    await customer.credit('100.00');
    world.driver.createFailure = 'its image is broken';
    for (let calls = 0; calls < 12; calls++) {
      const name = `m-${calls}`;
      await customer.create({ name, plan: Plan.MONTH });
      await world.idle();
      expect((await customer.get(name)).state).to.equal(DeviceState.FAILED);
      expect(await balance()).to.equal('88.00');
      world.dieAfter(calls);
      await Promise.race([customer.remove(name).catch(() => undefined), world.cut()]);
      world.kill();
      await world.begin();
      if ((await world.stores.devices.listAll(100)).length > 0) await customer.remove(name).catch(() => undefined);
      await world.idle();
      await world.pass(MINUTE_MS);
      expect(await balance(), `after ${calls} calls`).to.equal('100.00');
    }
  });

  it('is given back with the months of later starts that could not make the phone either', async () => {
    await customer.credit('100.00');
    world.driver.createFailure = 'its image is broken';
    await customer.create({ name: 'm', plan: Plan.MONTH });
    await world.idle();
    await world.pass(40 * 24 * 60 * MINUTE_MS);
    await customer.start('m');
    await world.idle();
    expect(await balance()).to.equal('76.00');
    await customer.remove('m');
    await world.idle();
    expect(await balance()).to.equal('100.00');
  });

  it('is charged no second time for a phone that could not be made', async () => {
    await customer.credit('100.00');
    world.driver.createFailure = 'its image is broken';
    await customer.create({ name: 'm', plan: Plan.MONTH });
    await world.idle();
    await world.pass(90 * 24 * 60 * MINUTE_MS);
    expect(await balance()).to.equal('88.00');
    world.driver.createFailure = undefined;
    await customer.start('m');
    await world.idle();
    await customer.remove('m');
    await world.idle();
    expect(await balance()).to.equal('76.00');
  });

  it('costs nothing when the service was killed before the device was made, wherever that was', async () => {
    await customer.credit('100.00');
    for (let calls = 0; calls < 14; calls++) {
      world.dieAfter(calls);
      const made = customer.create({ name: `m-${calls}`, plan: Plan.MONTH }).catch(() => undefined);
      await Promise.race([made, world.cut()]);
      world.kill();
      await world.begin();
      await world.pass(11 * MINUTE_MS);
      const devices = await world.stores.devices.listAll(100);
      expect(await balance(), `after ${calls} calls`).to.equal(`${100 - 12 * devices.length}.00`);
    }
  });
});
