import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import { newJob } from '../../device-service/record/new-job.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { HandoverService } from '../../proto/gen/cloudphone/device/v1/handover_service_pb.js';
import { PhoneService } from '../../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { until } from '../../testing/until.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const IDLE_S = 600;
/** A stop may take this long beyond the idle time, as the proto promises, s. */
const LATE_S = 25;
/** A round of checks after a stop that is due. */
const ROUND_S = 10;

describe('devices with an idle time', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    world = await ServiceWorld.open(Date.parse('2037-01-31T10:00:00Z'));
    customer = await world.customer('c@example.com');
    await customer.credit('10');
  });
  afterEach(() => world.close());

  const way = () => joinInMemory(world.service.rpc, undefined);
  const devices = () => createClient(DeviceService, way());
  const phones = () => createClient(PhoneService, way());
  const setIdle = async (name: string, idleStopS: number) =>
    (await devices().updateDevice({ name, idleStopS }, { headers: customer.headers })).device!;
  const useIt = (name = 'one') => phones().locatePhone({ name, scope: Scope.READ }, { headers: customer.headers });
  const stateOf = async (name = 'one') => (await customer.get(name)).state;

  async function make(name = 'one', idleStopS = IDLE_S): Promise<string> {
    await customer.create({ name });
    await world.idle();
    await setIdle(name, idleStopS);
    return (await world.stores.devices.listAll(10)).find((device) => device.name === name)!._id;
  }

  /** Lets time pass a minute at a time, with a check after each. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 60) {
      world.clock.turn(Math.min(60, seconds - passed) * 1_000);
      await world.service.stopIdle();
    }
    await world.idle();
  }

  it('are stopped after it, by a job, and not before', async () => {
    await make();
    await pass(IDLE_S);
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    await pass(LATE_S);
    const device = await customer.get('one');
    expect([device.state, device.idleStopS]).to.deep.equal([DeviceState.STOPPED, IDLE_S]);
  });

  it('run on while they are used, and for their idle time after the last use', async () => {
    await make();
    for (let round = 0; round < 3; round++) {
      await pass(IDLE_S - ROUND_S);
      await useIt();
    }
    await pass(IDLE_S - ROUND_S);
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    await pass(LATE_S + ROUND_S);
    expect(await stateOf()).to.equal(DeviceState.STOPPED);
  });

  it('run on while an ADB client is connected, and are read without being used', async () => {
    const phoneId = await make();
    for (let round = 0; round < 20; round++) {
      await phones().lendPhones({ phoneIds: [phoneId] });
      await pass(60);
      await customer.get('one');
    }
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    for (let round = 0; round < 20 && (await stateOf()) === DeviceState.RUNNING; round++) await pass(60);
    expect(await stateOf()).to.equal(DeviceState.STOPPED);
  });

  it('get their whole time again with each start', async () => {
    await make();
    await pass(IDLE_S + LATE_S);
    await customer.start('one');
    await world.idle();
    await pass(IDLE_S);
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    await pass(LATE_S);
    expect(await stateOf()).to.equal(DeviceState.STOPPED);
  });

  it('are left alone once it is taken away, as are those without one', async () => {
    await make('one');
    await customer.create({ name: 'two' });
    await world.idle();
    expect((await setIdle('one', 0)).idleStopS).to.equal(undefined);
    await pass(IDLE_S * 2);
    expect([await stateOf('one'), await stateOf('two')]).to.deep.equal([DeviceState.RUNNING, DeviceState.RUNNING]);
  });

  it('run on for their idle time after a person gave them back, who had them longer than that', async () => {
    await make();
    const handovers = createClient(HandoverService, way());
    const { headers } = customer;
    const { handover } = await handovers.createHandover({ name: 'one', reason: 'Pay', timeoutS: 3_600 }, { headers });
    await pass(IDLE_S * 2);
    await handovers.cancelHandover({ name: 'one', id: handover!.id }, { headers });
    await pass(IDLE_S - ROUND_S);
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    await pass(LATE_S + ROUND_S * 2);
    expect(await stateOf()).to.equal(DeviceState.STOPPED);
  });

  it('are not stopped when they are used between the check and the stop', async () => {
    const phoneId = await make();
    await pass(IDLE_S);
    const claim = (seen: DeviceDocument) =>
      world.stores.devices.claims.unused(seen, newJob(world.clock, { kind: 'stop' }), {});
    const seen = (await world.device(phoneId))!;
    await useIt();
    expect(await claim(seen)).to.equal(undefined);
    const used = (await world.device(phoneId))!;
    await phones().lendPhones({ phoneIds: [phoneId] });
    expect(await claim(used)).to.equal(undefined);
    expect(await stateOf()).to.equal(DeviceState.RUNNING);
    expect((await claim((await world.device(phoneId))!))?.job?.kind).to.equal('stop');
  });

  it('are stopped by the next process when one died as it accepted the stop', async () => {
    await make();
    for (let calls = 0; calls < 6; calls++) {
      world.clock.turn((IDLE_S + LATE_S) * 1_000);
      world.dieAfter(calls);
      void world.service.stopIdle().catch(() => undefined);
      await world.cut();
      world.kill();
      await world.begin();
      await pass(ROUND_S);
      await until(async () => (await stateOf()) === DeviceState.STOPPED);
      await customer.start('one');
      await world.idle();
    }
  });
});
