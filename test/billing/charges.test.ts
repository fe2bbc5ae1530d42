import { expect } from 'chai';
import { Ledger } from '../../device-service/accounts/billing/ledger.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { TrialState } from '../../proto/gen/cloudphone/access/v1/account_pb.js';
import { DeviceState, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;

describe('the charges for devices', () => {
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

  async function running(name: string): Promise<void> {
    await customer.create({ name });
    await world.idle();
    await world.service.meter();
  }

  it('is 0.004 for each begun minute of running, by the minutes of the clock', async () => {
    await customer.credit('1.00');
    await running('a');
    expect(await balance()).to.equal('0.996');
    await world.pass(9_000);
    expect(await balance()).to.equal('0.996');
    await world.pass(2_000);
    expect(await balance()).to.equal('0.992');
    expect((await customer.get('a')).minutesToday).to.equal(2);
    await world.pass(3 * MINUTE_MS);
    expect(await balance()).to.equal('0.98');
    const usage = await customer.usage();
    expect(usage).to.deep.include({ from: '2037-01-01', to: '2037-01-31' });
    expect(usage.devices.map(({ device, minutes, cost }) => [device, minutes, cost])).to.deep.equal([['a', 5, '0.02']]);
    expect(usage.total).to.include({ minutes: 5, cost: '0.02' });
  });

  it('is nothing while it is stopped, and the last minute before', async () => {
    await customer.credit('1.00');
    await running('a');
    world.clock.turn(11_000); // into the next minute, and no run of the meter
    await customer.stop('a');
    await world.idle();
    expect(await balance()).to.equal('0.992');
    await world.pass(60 * MINUTE_MS);
    expect(await balance()).to.equal('0.992');
  });

  it('is one minute for ten restarts in a minute', async () => {
    await customer.credit('1.00');
    await running('a');
    for (let times = 0; times < 10; times++) {
      await customer.restart('a');
      await world.idle();
      await world.service.meter();
    }
    expect(await balance()).to.equal('0.996');
  });

  it('is charged for the seconds in which the service restarted and the phone lived on, once', async () => {
    await customer.credit('1.00');
    await running('a');
    world.kill();
    world.clock.turn(90_000);
    await world.begin();
    await world.pass(0);
    expect(await balance()).to.equal('0.988');
    await world.begin(); // another one at the same time
    await world.pass(0);
    expect(await balance()).to.equal('0.988');
  });

  it('is not charged for the time in which the phone was off', async () => {
    await customer.credit('1.00');
    await running('a');
    world.kill();
    for (const phone of world.driver.phones.keys()) world.driver.phones.set(phone, 'stopped');
    world.clock.turn(30 * MINUTE_MS);
    await world.begin();
    await world.idle();
    await world.pass(0);
    expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
    expect(await balance()).to.equal('0.992');
  });

  it('is bounded when the clock is set', async () => {
    await customer.credit('1.00');
    await running('a');
    await world.pass(400 * 24 * 60 * MINUTE_MS);
    expect(await balance()).to.equal('0.756'); // an hour, and the first minute
  });

  for (const restarted of [false, true]) {
    it(`goes on when the clock was ahead for a while and is set right${restarted ? ', after a restart too' : ''}`, async () => {
      const yearMs = 365 * 24 * 60 * MINUTE_MS;
      await customer.credit('10.00');
      await running('before');
      world.clock.turn(yearMs);
      await running('then');
      const jumped = Number(await balance());
      world.clock.turn(-yearMs);
      if (restarted) {
        world.kill();
        await world.begin();
      }
      await world.pass(0);
      // The minute that it is now: known to be paid for the one, and not for the other.
      expect(jumped - Number(await balance())).to.be.closeTo(0.004, 1e-9);
      for (let minutes = 0; minutes < 5; minutes++) await world.pass(MINUTE_MS);
      expect(jumped - Number(await balance())).to.be.closeTo(0.044, 1e-9);
    });
  }

  it('must be there before anything is made or started', async () => {
    await customer.credit('0.003');
    const create = await refusal(customer.create({ name: 'a' }));
    expect(create.kind).to.equal('insufficient_funds');
    expect(create.message).to.contain('0.003').and.to.contain('0.004');
    expect((await refusal(customer.create({ name: 'a', start: false }))).kind).to.equal('insufficient_funds');
    expect((await refusal(customer.create({ name: 'a', plan: Plan.MONTH }))).kind).to.equal('insufficient_funds');
    expect((await refusal(customer.get('a'))).kind).to.equal('not_found');
    expect(world.driver.calls).to.deep.equal([]);
  });

  it('stops the device when it is used up; it keeps its state and runs again after a top-up', async () => {
    await customer.credit('0.008');
    await running('a');
    await world.pass(MINUTE_MS);
    expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
    await world.pass(MINUTE_MS);
    const stopped = await customer.get('a');
    expect(stopped.state).to.equal(DeviceState.STOPPED);
    expect(stopped.problem).to.include({ kind: 'balance' });
    expect(await balance()).to.equal('0.00');
    expect((await refusal(customer.start('a'))).kind).to.equal('insufficient_funds');
    await customer.credit('1.00');
    await customer.start('a');
    await world.idle();
    const again = await customer.get('a');
    expect(again.state).to.equal(DeviceState.RUNNING);
    expect(again.problem).to.equal(undefined);
  });

  it('stops the device that could not pay as soon as the job that was at work on it ends', async () => {
    const { snapshots } = world.driver;
    const take = snapshots.take.bind(snapshots);
    let save: () => void = () => undefined;
    const saving = new Promise<void>((resolve) => (save = resolve));
    snapshots.take = async (...given) => saving.then(() => take(...given));
    await customer.credit('0.008');
    await running('a');
    await customer.snapshots().createSnapshot({ name: 'a' }, { headers: customer.headers });
    world.clock.turn(2 * MINUTE_MS);
    await world.service.meter();
    expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
    // The meter does not run again.
    save();
    await until(async () => (await customer.get('a')).state === DeviceState.STOPPED);
    expect((await customer.get('a')).problem?.kind).to.equal('balance');
  });

  it('is made for other accounts though that of one fails, which is reported', async () => {
    const other = await world.customer('d@example.com');
    for (const one of [customer, other]) {
      await one.credit('1.00');
      await one.create({ name: 'a' });
    }
    await world.idle();
    await world.service.meter();
    const { prototype } = Ledger;
    const whole = Object.getOwnPropertyDescriptor(prototype, 'post')!;
    const post = whole.value as (this: Ledger, ...given: Parameters<Ledger['post']>) => ReturnType<Ledger['post']>;
    prototype.post = async function (this: Ledger, ...given) {
      if (given[0] === customer.accountId) throw new Error('its ledger is broken');
      return post.apply(this, given);
    };
    try {
      world.clock.turn(MINUTE_MS);
      const failure: unknown = await world.service.meter().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(AggregateError);
      expect((await other.account()).balance).to.equal('0.992');
    } finally {
      Object.defineProperty(prototype, 'post', whole);
    }
    await world.service.meter();
    expect(await balance()).to.equal('0.992');
  });

  it('is credited once for an id', async () => {
    for (let times = 0; times < 3; times++) await customer.credit('5.00', 'invoice-1');
    expect(await balance()).to.equal('5.00');
    for (const amount of ['0', '-1', '1e3', 'five', '1000000.01', '0.0000001']) {
      expect((await refusal(customer.credit(amount))).kind, amount).to.equal('bad_request');
    }
  });

  describe('on the trial', () => {
    it('is nothing for 30 minutes of one device, once, without a top-up', async () => {
      const trial = async () => (await customer.account()).trial!;
      expect(await trial()).to.include({ state: TrialState.UNUSED, minutesLeft: 30 });
      await running('a');
      expect(await trial()).to.include({ state: TrialState.ACTIVE, minutesLeft: 29 });
      expect(await refusal(customer.create({ name: 'b' }))).to.include({
        kind: 'insufficient_funds',
        message:
          'The trial is for one device at a time, and "a" has it. Stop that device, or add credit to the account, then start again.',
      });
      await world.pass(29 * MINUTE_MS);
      expect(await trial()).to.include({ state: TrialState.USED, minutesLeft: 0 });
      expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
      await world.pass(MINUTE_MS);
      expect(await customer.get('a')).to.include({ state: DeviceState.STOPPED });
      expect(await refusal(customer.start('a'))).to.include({
        kind: 'insufficient_funds',
        message:
          'The trial of 30 minutes is used up. The balance of 0.00 USD does not cover a minute (0.004 USD). ' +
          'Add credit to the account, then start again.',
      });
      expect(await balance()).to.equal('0.00');
      expect((await customer.usage()).total).to.include({ minutes: 30, cost: '0.00' });
      await customer.credit('1.00');
      await customer.start('a');
      await world.idle();
      expect((await customer.get('a')).state).to.equal(DeviceState.RUNNING);
    });

    it('opens once for a hundred starts at the same time', async () => {
      const responses = await Promise.allSettled(
        Array.from({ length: 100 }, (_, number) => customer.create({ name: `d-${number}` })),
      );
      await world.idle();
      expect(responses.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      const devices = await world.stores.devices.listAll(200);
      expect(devices).to.have.length(1);
    });

    it('goes on with another device once the first is stopped', async () => {
      await running('a');
      await world.pass(10 * MINUTE_MS);
      await customer.stop('a');
      await world.idle();
      await running('b');
      await world.pass(60 * MINUTE_MS);
      expect(await customer.get('b')).to.include({ state: DeviceState.STOPPED });
      expect((await customer.usage()).total).to.include({ minutes: 30 });
    });

    it('is paid by the balance once it is over', async () => {
      await running('a');
      await customer.credit('1.00');
      await world.pass(31 * MINUTE_MS);
      expect(await customer.get('a')).to.include({ state: DeviceState.RUNNING });
      expect(await balance()).to.equal('0.992');
    });
  });

  describe('below nothing, after a payment was taken back', () => {
    const takeBack = async (amountMicros: number): Promise<void> => {
      const line = { kind: 'reversal' as const, at: new Date(world.clock.now()), dedupe: 'reversal/re_1', minutes: 0 };
      const ledger = new Ledger(world.stores.entries, world.clock);
      await ledger.post(customer.accountId, [line], () => ({ amountMicros: -amountMicros }));
    };

    it('is for nothing that is started or made, though the month is paid', async () => {
      await customer.credit('30.00');
      await customer.create({ name: 'runs', plan: Plan.MONTH });
      await customer.create({ name: 'rests', plan: Plan.MONTH, start: false });
      await world.idle();
      await takeBack(30_000_000);
      for (const call of [
        () => customer.start('rests'),
        () => customer.restart('runs'),
        () => customer.create({ plan: Plan.MONTH }),
        () => customer.create({ plan: Plan.MINUTE }),
        () => customer.create({ plan: Plan.MINUTE, start: false }),
      ]) {
        const refused = await refusal(call());
        expect(refused.kind).to.equal('insufficient_funds');
        expect(refused.message).to.contain('-24.00');
      }
      await world.pass(MINUTE_MS);
      expect((await customer.get('runs')).state).to.equal(DeviceState.RUNNING);
      await customer.credit('24.00');
      await customer.start('rests');
      await world.idle();
      expect(await balance()).to.equal('0.00');
    });

    it('is not for the rest of a trial', async () => {
      await running('a');
      await customer.stop('a');
      await world.idle();
      await customer.credit('5.00');
      await takeBack(6_000_000);
      expect((await refusal(customer.start('a'))).kind).to.equal('insufficient_funds');
      expect((await refusal(customer.create({ start: false }))).kind).to.equal('insufficient_funds');
    });
  });
});
