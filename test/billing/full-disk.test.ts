import { expect } from 'chai';
import { HOST_BEAT_MS } from '../../device-service/devices/limits.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from './service-world.js';

const MINUTE_MS = 60_000;

describe('the charges for devices whose customer cannot stop them, as the disk is full', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:50Z'));
    customer = await world.customer('c@example.com');
    await customer.credit('1.00');
    await customer.create({ name: 'a' });
    await world.idle();
    await world.service.meter();
  });
  afterEach(() => world.close());

  const balance = async (): Promise<string> => (await customer.account()).balance;
  const outages = async (): Promise<readonly unknown[]> => (await world.stores.hosts.find('host-1'))?.outages ?? [];

  async function fullFor(minutes: number): Promise<void> {
    world.setFull(true);
    for (let beats = 0; beats < 3; beats++) {
      const refused = world.refusedWrites;
      world.clock.turn(HOST_BEAT_MS);
      await until(() => world.refusedWrites > refused);
    }
    // The clock jumps below. A charge that is under way, decided before the outage was long enough, is to be refused before that.
    await world.service.meter().catch(() => undefined);
    const refusal: unknown = await customer.stop('a').catch((error: unknown) => error);
    expect(refusal).to.be.instanceOf(ApiError).with.property('kind', 'unavailable');
    world.clock.turn(minutes * MINUTE_MS);
  }

  it('are nothing for minutes that begin meanwhile, and go on once there is room', async () => {
    expect(await balance()).to.equal('0.996');
    await fullFor(10);
    expect(await balance()).to.equal('0.996');
    world.setFull(false);
    await until(async () => {
      world.clock.turn(HOST_BEAT_MS);
      return (await outages()).length === 1;
    });
    await world.pass(0);
    expect(await balance()).to.equal('0.996');
    await world.pass(MINUTE_MS);
    expect(await balance()).to.equal('0.992');
  });

  it('are nothing for them either when the service was killed meanwhile', async () => {
    await fullFor(10);
    world.kill();
    world.setFull(false);
    await world.begin();
    expect(await outages()).to.have.length(1);
    await world.pass(0);
    expect(await balance()).to.equal('0.996');
    await world.pass(MINUTE_MS);
    expect(await balance()).to.equal('0.992');
  });

  it('end with the stop that gets through', async () => {
    await fullFor(10);
    world.setFull(false);
    await customer.stop('a');
    await world.idle();
    await world.pass(10 * MINUTE_MS);
    expect(await balance()).to.equal('0.996');
  });
});
