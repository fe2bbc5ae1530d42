import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;
/** A hold of a process that was killed is over by then. */
const LAPSED_MS = 16 * MINUTE_MS;
const NAMES = ['a', 'b', 'c'];
/** More calls to the database than three starts take. */
const MAX_CALLS = 30;

describe('starts at the same time on credit for one minute', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:10Z'));
    customer = await world.customer('c@example.com');
  });
  afterEach(() => world.close());

  const balance = async (): Promise<string> => (await customer.account()).balance;

  async function stateOf(name: string): Promise<DeviceState> {
    return (await customer.get(name)).state;
  }

  async function countRunning(): Promise<number> {
    const devices = await world.stores.devices.listAll(1_000);
    return devices.filter(({ state, accountId }) => state === 'running' && accountId === customer.accountId).length;
  }

  async function makeStopped(names: readonly string[]): Promise<void> {
    for (const name of names) await customer.create({ name, start: false });
    await world.idle();
  }

  /** Returns how many calls succeeded, after a check that the others were refused for the money. */
  async function countAccepted(calls: readonly Promise<unknown>[]): Promise<number> {
    const results = await Promise.allSettled(calls);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const reason: unknown = result.reason;
      expect(reason).to.be.instanceOf(ApiError);
      expect(reason).to.have.property('kind', 'insufficient_funds');
      expect((reason as Error).message).to.contain('0.004 USD is kept for devices that are starting');
    }
    return results.filter(({ status }) => status === 'fulfilled').length;
  }

  /** Holds all starts of phones until the returned function is called. */
  function holdStarts(): () => void {
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    return open;
  }

  it('accept one of three starts, whose minute is charged once it runs', async () => {
    await customer.credit('0.004');
    await makeStopped(NAMES);
    const open = holdStarts();
    expect(await countAccepted(NAMES.map((name) => customer.start(name)))).to.equal(1);
    expect(await balance()).to.equal('0.004');
    open();
    await world.idle();
    expect(await balance()).to.equal('0.00');
    await world.service.meter();
    expect(await balance()).to.equal('0.00');
    expect(await countRunning()).to.equal(1);
  });

  it('accept one of three creations', async () => {
    await customer.credit('0.004');
    const open = holdStarts();
    expect(await countAccepted(NAMES.map((name) => customer.create({ name })))).to.equal(1);
    open();
    await world.idle();
    expect(await world.stores.devices.listAll(10)).to.have.length(1);
  });

  it('accept as many as the balance covers', async () => {
    await customer.credit('0.011');
    await makeStopped(NAMES);
    const open = holdStarts();
    const results = await Promise.allSettled(NAMES.map((name) => customer.start(name)));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(2);
    open();
    await world.pass(0);
    expect(await countRunning()).to.equal(2);
    expect(await balance()).to.equal('0.003');
  });

  it('leave the money to another device at once when the start failed', async () => {
    await customer.credit('0.004');
    await makeStopped(NAMES);
    world.driver.failure = 'the phone is broken';
    await customer.start('a');
    await world.idle();
    world.driver.failure = undefined;
    await customer.start('b');
    await world.idle();
    expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.00');
  });

  it('keep the minute of a phone that is starting from one that runs', async () => {
    await customer.credit('0.008');
    await makeStopped(NAMES);
    await customer.start('a');
    await world.pass(0);
    const open = holdStarts();
    await customer.start('b');
    world.clock.turn(MINUTE_MS);
    await world.service.meter();
    await until(async () => (await stateOf('a')) === DeviceState.STOPPED);
    expect(await customer.get('a')).to.have.nested.property('problem.kind', 'balance');
    open();
    await world.pass(0);
    expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.00');
  });

  it('are not in the way of a restart, of the same phone or after it', async () => {
    await customer.credit('0.008');
    await makeStopped(NAMES);
    await customer.start('a');
    await world.idle();
    await world.service.meter();
    // Within its first minute, so the second one stays held until it begins.
    await customer.restart('a');
    await world.pass(0);
    expect(await balance()).to.equal('0.004');
    expect(await countAccepted([customer.start('b')])).to.equal(0);
    await world.pass(MINUTE_MS);
    expect(await stateOf('a')).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.00');
  });

  it('free the money that a restart reserved when the phone is stopped', async () => {
    await customer.credit('0.008');
    await makeStopped(NAMES);
    await customer.start('a');
    await world.idle();
    await world.service.meter();
    await customer.restart('a');
    await world.idle();
    await customer.stop('a');
    await world.idle();
    await customer.start('b');
    await world.pass(0);
    expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.00');
  });

  it('never overdraw, and lose no money, wherever the service is killed', async function () {
    let ran = 0;
    await customer.credit('0.004');
    await makeStopped(NAMES);
    for (let calls = 0; calls < MAX_CALLS; calls += 2) {
      world.dieAfter(calls);
      const starts = NAMES.map((name) => customer.start(name).catch(() => undefined));
      // Calls after the death never end.
      await Promise.race([Promise.all(starts), world.cut()]);
      world.kill();
      await world.begin();
      await world.idle();
      await world.service.meter();
      await world.idle();
      const running = await countRunning();
      expect(running, `after ${calls} calls`).to.be.at.most(1);
      expect(await balance(), `after ${calls} calls`).to.equal(running === 1 ? '0.00' : '0.004');
      ran += running;
      world.clock.turn(LAPSED_MS);
      if (running === 0) {
        await customer.start('c');
        await world.idle();
      }
      // No running phone has money for another minute.
      await world.pass(MINUTE_MS);
      expect(await countRunning()).to.equal(0);
      expect(await balance(), `after ${calls} calls and another start`).to.equal('0.00');
      await customer.credit('0.004');
    }
    expect(ran).to.be.within(1, MAX_CALLS / 2 - 1);
  });

  describe('on the trial', () => {
    it('accept one, and another as soon as that one was stopped', async () => {
      await customer.create({ name: 'a' });
      await world.idle();
      await customer.stop('a');
      await world.idle();
      await customer.create({ name: 'b' });
      await world.pass(0);
      expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
      expect((await customer.account()).trial).to.include({ minutesLeft: 28 });
    });

    it('accept another as soon as the first was deleted', async () => {
      await customer.create({ name: 'a' });
      await world.idle();
      await customer.remove('a');
      await world.idle();
      await customer.create({ name: 'b' });
      await world.pass(0);
      expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
    });

    it('accept another as soon as the start failed, or nothing was made', async () => {
      await makeStopped(['a']);
      world.driver.failure = 'the phone is broken';
      await customer.start('a');
      await world.idle();
      world.driver.failure = undefined;
      const taken = await customer.create({ name: 'a' }).catch((error: unknown) => error);
      expect(taken).to.have.property('kind', 'bad_request');
      await customer.create({ name: 'b' });
      await world.pass(0);
      expect(await stateOf('b')).to.equal(DeviceState.RUNNING);
    });

    it('accept no other while the first is starting', async () => {
      await makeStopped(NAMES);
      const open = holdStarts();
      await customer.start('a');
      world.clock.turn(MINUTE_MS);
      const refused = await customer.start('b').catch((error: unknown) => error);
      expect(refused).to.have.property('kind', 'insufficient_funds');
      open();
      await world.idle();
    });
  });
});
