import { expect } from 'chai';
import { Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { BillModel } from './bill-model.js';
import { type Customer, ServiceWorld } from './service-world.js';
import { integersBelow, seededRandom } from '../../testing/seeded-random.js';

const DAY_MS = 86_400_000;
/** A time without a process is an outage when it is longer than this. */
const RESTART_MS = 120_000;
const SEED = 20_261_120;

interface Account {
  customer: Customer;
  model: BillModel;
  /** Phone ids by device name. */
  phones: Map<string, string>;
}

describe(`thirty simulated days with kills (seed ${SEED})`, function () {
  this.timeout(900_000);
  const random = integersBelow(seededRandom(SEED));
  // February has 28 days, so a month goes by in thirty.
  const startMs = Date.parse('2037-02-01T12:00:00Z');
  let world: ServiceWorld;
  /** Has several devices and always money; and one device, the trial, and often nothing. */
  let rich: Account;
  let poor: Account;
  let kills = 0;
  let operations = 0;

  before(async () => {
    world = await ServiceWorld.open(startMs);
    const account = async (email: string): Promise<Account> => ({
      customer: await world.customer(email),
      model: new BillModel(),
      phones: new Map(),
    });
    [rich, poor] = [await account('rich@example.com'), await account('poor@example.com')];
  });
  after(() => world.close());

  async function make(account: Account, name: string, plan: Plan, start: boolean): Promise<void> {
    await account.customer.create({ name, plan, start });
    await world.idle();
    const found = await world.stores.devices.findByName(account.customer.accountId, name);
    account.phones.set(name, found!._id);
  }

  /** Brings the model to the observed state of the devices. `end`: when a run that is over ended, by phone. */
  async function observe(account: Account, end: (phone: string) => number): Promise<void> {
    for (const phone of account.phones.values()) {
      const device = await world.device(phone);
      if (device?.plan !== 'minute') continue;
      const started = device.state === 'running' ? device.startedAt?.getTime() : undefined;
      const known = account.model.runStart(phone);
      if (known === started) continue;
      if (known !== undefined) account.model.end(phone, end(phone));
      if (started !== undefined) account.model.begin(phone, started);
    }
  }

  /** The meter's work at `nowMs`; devices that cannot pay are found stopped then. */
  async function meter(account: Account, nowMs: number): Promise<void> {
    for (const [name, phone] of account.phones) {
      if (name === 'month') account.model.month(phone, nowMs < startMs + 28 * DAY_MS ? 0 : 1);
      account.model.payThrough(phone, nowMs);
    }
    await observe(account, () => nowMs);
  }

  type Operation = () => Promise<unknown>;

  function operation(): Operation {
    const account = random(2) === 0 ? rich : poor;
    const names = [...account.phones.keys()];
    const name = names[random(names.length)]!;
    const { customer } = account;
    return [
      () => customer.start(name),
      () => customer.stop(name),
      () => customer.restart(name),
      () => customer.start(name),
    ][random(4)]!;
  }

  async function kill(): Promise<void> {
    kills++;
    world.dieAfter(random(12));
    void operation()().catch(() => undefined);
    void world.service.meter().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    world.kill();
    const diedMs = world.clock.now();
    // Some die with their phones, as when the machine does.
    const withPhones = random(3) === 0;
    const lastSeen = (await world.stores.hosts.find('host-1'))!.seenAt.getTime();
    // Whatever the operation brought about before the end.
    for (const account of [rich, poor]) await observe(account, () => diedMs);
    if (withPhones) {
      for (const phone of world.driver.phones.keys()) world.driver.phones.set(phone, 'stopped');
    }
    world.clock.turn(5_000 + random(withPhones ? 4 * 3_600_000 : 120_000));
    const againMs = world.clock.now();
    if (againMs - lastSeen > RESTART_MS) for (const { model } of [rich, poor]) model.outage(lastSeen, againMs);
    await world.begin();
    await world.idle();
    await world.service.meter();
    await world.idle();
    const nowMs = world.clock.now();
    for (const account of [rich, poor]) {
      // Runs that ended after that: those whose phone died, when the host was last heard of.
      await observe(account, (phone) => Math.max(lastSeen, account.model.runStart(phone) ?? 0));
      await meter(account, nowMs);
    }
  }

  it('charge exactly the sums of an independent model', async () => {
    await rich.customer.credit('1000.00');
    rich.model.credit(1_000_000_000);
    for (const name of ['a', 'b', 'c']) await make(rich, name, Plan.MINUTE, false);
    await make(rich, 'month', Plan.MONTH, true);
    rich.model.month(rich.phones.get('month')!, 0);
    await make(poor, 'p', Plan.MINUTE, true);
    poor.model.trialPhone = poor.phones.get('p');
    await observe(poor, () => NaN);

    while (world.clock.now() < startMs + 30 * DAY_MS) {
      await world.pass((30 + random(28)) * 60_000 + random(60_000));
      const nowMs = world.clock.now();
      for (const account of [rich, poor]) await meter(account, nowMs);
      if (random(12) === 0) {
        const micros = (1 + random(200)) * 1_000;
        await poor.customer.credit(`0.${String(micros).padStart(6, '0')}`);
        poor.model.credit(micros);
      }
      if (random(12) === 0) {
        await kill();
      } else if (random(2) === 0) {
        operations++;
        await operation()().catch(() => undefined);
        await world.idle();
        for (const account of [rich, poor]) await observe(account, () => nowMs);
      }
    }

    for (const { customer, model } of [rich, poor]) {
      const ledger = await customer.ledger();
      expect(ledger.map(({ seq }) => seq)).to.deep.equal(ledger.map((_, index) => index + 1));
      const minutes = ledger
        .filter(({ kind }) => kind === 'minute')
        .map(({ device, at }) => `${device?.phoneId ?? ''} ${at.getTime() / 60_000}`);
      expect(minutes.sort()).to.deep.equal([...model.minutes].sort());
      expect(ledger.at(-1)?.balanceMicros).to.equal(model.balanceMicros);
      expect(ledger.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).to.equal(model.balanceMicros);
      expect(ledger.filter(({ kind }) => kind === 'month')).to.have.length(model.months.size);
      expect(ledger.every(({ balanceMicros }) => balanceMicros >= 0)).to.equal(true);
      const { total } = await customer.usage({ from: '2037-02-01', to: '2037-03-31' });
      expect(total?.minutes).to.equal(model.minutes.size);
    }
    expect(poor.model.trialMinutes).to.equal(30);
    expect(rich.model.months.size).to.equal(2);
    expect(kills).to.be.greaterThan(50);
    expect(operations).to.be.greaterThan(300);
    expect(rich.model.minutes.size).to.be.greaterThan(5_000);
  });
});
