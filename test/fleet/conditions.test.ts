import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { type PhoneConditions } from '../../phone/conditions.js';
import { PhoneFailure } from '../../phone/driver.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const LOW = { level: 5, charging: false };
const HALF = { level: 50, charging: true };

describe('conditions of devices', () => {
  let world: ServiceWorld;
  let customer: Customer;
  let phoneId: string;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('c@example.com');
    await customer.credit('10');
    await customer.create({ name: 'one' });
    await world.idle();
    phoneId = (await world.stores.devices.listAll(10))[0]?._id ?? '';
  });
  afterEach(() => world.close());

  const change = async (change: Parameters<ReturnType<typeof devices>['updateConditions']>[0]) =>
    (await devices().updateConditions({ name: 'one', ...change }, { headers: customer.headers })).device;
  const devices = () => createClient(DeviceService, joinInMemory(world.service.rpc, undefined));
  const recorded = async (): Promise<PhoneConditions> => (await world.device(phoneId))?.conditions ?? {};
  const seen = (): PhoneConditions => world.driver.conditions.get(phoneId) ?? {};
  const refusal = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'it was done',
      (error: unknown) => (error instanceof ApiError ? `${error.kind}: ${error.message}` : String(error)),
    );

  it('are given by each start, before the device runs', async () => {
    await change({ battery: LOW });
    await customer.stop('one');
    await world.idle();
    await change({ battery: HALF });
    expect([seen(), await recorded()]).to.deep.equal([{ battery: LOW }, { battery: HALF }]);
    world.driver.conditions.clear();
    const states: (DeviceState | undefined)[] = [];
    world.driver.onConditions = async () => void states.push((await customer.get('one')).state);
    await customer.start('one');
    await world.idle();
    expect([seen(), states]).to.deep.equal([{ battery: HALF }, [DeviceState.STARTING]]);
    await customer.restart('one');
    await world.idle();
    expect(states).to.have.length(2);
  });

  it('are not recorded where the phone refuses them, and it gets those it had', async () => {
    await change({ battery: HALF });
    world.driver.onConditions = ({ battery }) => {
      if (battery?.level === 5) throw new PhoneFailure('The phone refused.');
    };
    expect(await refusal(change({ battery: LOW, location: { latitude: 1, longitude: 2 } }))).to.equal(
      'unavailable: The phone refused. The device "one" keeps the conditions it had.',
    );
    expect([seen(), await recorded()]).to.deep.equal([{ battery: HALF }, { battery: HALF }]);
  });

  it('are given up when the phone does not respond in time', async () => {
    world.driver.onConditions = ({ battery }) => (battery === undefined ? undefined : new Promise(() => undefined));
    const changing = refusal(change({ battery: LOW }));
    const other = refusal(change({ network: { kbps: 64 } }));
    await until(() => world.clock.timers > 0);
    let over = false;
    void changing.then(() => (over = true));
    await until(() => {
      world.clock.turn(1_000);
      return over;
    });
    expect(await changing).to.match(/^timeout: /);
    expect(await other).to.equal('it was done');
    expect(await recorded()).to.deep.equal({ network: { latencyMs: 0, loss: 0, kbps: 64 } });
  });

  it('of several callers at the same time are all kept', async () => {
    await Promise.all([
      change({ battery: LOW }),
      change({ network: { loss: 0.5 } }),
      change({ location: { latitude: 1, longitude: 2 } }),
    ]);
    expect(await recorded()).to.have.all.keys('battery', 'network', 'location');
    expect(seen()).to.deep.equal(await recorded());
  });

  it('are not changed while a job starts or stops the device', async () => {
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await customer.restart('one');
    expect(await refusal(change({ battery: LOW }))).to.match(/^busy: The device "one" is busy with job .* \(restart\)/);
    open();
    await world.idle();
    expect(await recorded()).to.deep.equal({});
  });

  it('are not recorded when the device is stopped while the phone takes them', async () => {
    world.driver.onConditions = async ({ battery }) => {
      if (battery === undefined) return;
      world.driver.onConditions = () => undefined;
      await customer.stop('one');
    };
    expect(await refusal(change({ battery: LOW }))).to.match(/^busy: |^it was done/);
    await world.idle();
    const kept = await recorded();
    await customer.start('one');
    await world.idle();
    expect(seen()).to.deep.equal(kept);
  });

  it('that the model does not offer are refused with the field that says so', async () => {
    await world.service.close();
    world.driver.conditionsOffered = ['location'];
    await world.begin();
    expect(await refusal(change({ battery: LOW }))).to.equal(
      'bad_request: battery: phones of model "phone-720p" do not offer it. "conditions" of the model in GET /v1/models has: location.',
    );
    expect((await change({ location: { latitude: 1, longitude: 2 } }))?.conditions?.location?.latitude).to.equal(1);
  });

  it('are a use of a running device', async () => {
    await devices().updateDevice({ name: 'one', idleStopS: 600 }, { headers: customer.headers });
    for (let minute = 0; minute < 20; minute++) {
      world.clock.turn(60_000);
      await change({ battery: { level: minute } });
      await world.service.stopIdle();
    }
    await world.idle();
    expect((await customer.get('one')).state).to.equal(DeviceState.RUNNING);
  });

  it('of phone and record are the same after a process died at any call in between', async () => {
    await change({ battery: HALF });
    let differed = 0;
    for (let calls = 0; calls < 10; calls++) {
      world.dieAfter(calls);
      const changing = change({ battery: { level: calls }, location: { latitude: calls, longitude: 0 } });
      const over = await Promise.race([
        changing.then(
          () => true,
          () => true,
        ),
        world.cut().then(() => false),
      ]);
      world.kill();
      if (JSON.stringify(seen()) !== JSON.stringify(await recorded())) differed++;
      await world.begin();
      const now = await recorded();
      await until(() => JSON.stringify(seen()) === JSON.stringify(now));
      if (over) break;
    }
    expect(differed, 'deaths between phone and record').to.be.greaterThan(0);
  });
});
