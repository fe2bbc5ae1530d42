import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { sendCall } from '../../kit/rpc/call-crossing.js';
import { settled } from '../../testing/fake-clock.js';
import { GROUP_LIMIT_MS } from '../../device-service/fleet/limits.js';
import { MAX_TAKEOVERS, STEADY_RUN_MS } from '../../device-service/devices/limits.js';
import { DeviceState } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { GroupDeviceState, GroupState, OnError } from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import { JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

describe('groups whose service is killed', () => {
  let world: ServiceWorld;
  let customer: Customer;
  /** The requests to the screen service, with their credential. */
  let acted: { name: string; authorization: string | null }[];
  /** Set to hold acts until it resolves. */
  let gate: Promise<void> | undefined;

  beforeEach(async () => {
    world = await ServiceWorld.open();
    acted = [];
    gate = undefined;
    world.screen = createClient(
      ScreenService,
      createRouterTransport(
        (router) =>
          router.service(ScreenService, {
            act: async ({ name }, { requestHeader }) => {
              acted.push({ name, authorization: requestHeader.get('authorization') });
              await gate;
              return { settled: true, expectMet: true };
            },
          }),
        { transport: { interceptors: [sendCall] } },
      ),
    );
    await world.service.close();
    await world.begin();
    customer = await world.customer('fleet@example.com');
    await customer.credit('100');
    for (const name of ['a', 'b', 'c']) await customer.create({ name, start: false });
    await world.idle();
  });

  afterEach(() => world.close());

  const start = { kind: { case: 'start', value: {} } } as const;
  const stop = { kind: { case: 'stop', value: {} } } as const;
  const tap = {
    kind: { case: 'act', value: { step: { case: 'tap', value: { x: 1, y: 1 } } } },
  } as const;

  /** Turns the clock until the group has ended. */
  async function ended(id: string) {
    for (let turns = 0; turns < 3_000; turns++) {
      const group = await customer.getGroup(id);
      if (group.finishedAt !== undefined) return group;
      world.clock.turn(1_000);
      await settled();
    }
    throw new Error('the group does not end');
  }

  it('end the same, wherever a kill comes, with steps that may be repeated', async function () {
    // Each round is a kill at another call to the database.
    for (let calls = 0; calls < 60; calls += 6) {
      const { id, jobId } = await customer.group({ devices: ['a', 'b', 'c'], steps: [start, stop], concurrency: 2 });
      world.dieAfter(calls);
      for (let turns = 0; turns < 20; turns++) await settled();
      world.kill();
      await world.begin();
      const group = await ended(id);
      expect(
        group.devices.map(({ state, step, error }) => [state, step, error?.message]),
        `killed after ${calls} calls`,
      ).to.deep.equal(group.devices.map(() => [3, 2, undefined]));
      expect(await customer.getJob(jobId)).to.include({ state: JobState.DONE, progress: 100 });
      await world.idle();
      expect([...world.driver.phones.values()]).to.deep.equal(['stopped', 'stopped', 'stopped']);
    }
  });

  it('report a step on the screen that was under way, and do it no second time', async () => {
    let open = (): void => undefined;
    gate = new Promise((resolve) => (open = resolve));
    const { id } = await customer.group({
      devices: ['a', 'b', 'c'],
      steps: [tap, tap],
      concurrency: 2,
      onError: OnError.CONTINUE,
    });
    while (acted.length < 2) await settled();
    world.kill();
    open();
    await world.begin();
    const group = await ended(id);
    expect(group.devices.map(({ state, step }) => [state, step])).to.deep.equal([
      [4, 0],
      [4, 0],
      [3, 2],
    ]);
    expect(group.devices[0]?.error?.message).to.match(/restarted during step 0, which may have been done/);
    // The first two are under way at the same time.
    expect(acted.map(({ name }) => name).sort()).to.deep.equal(['a', 'b', 'c', 'c']);
  });

  it('report a device on which another job is at work, without waiting for it', async () => {
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await customer.start('a');
    const { id } = await customer.group({
      devices: ['a', 'b'],
      steps: [{ kind: { case: 'restart', value: {} } }],
      onError: OnError.CONTINUE,
    });
    const group = await ended(id);
    expect(group.devices[0]?.error).to.include({ error: 'busy' });
    expect(group.devices[0]?.error?.message).to.match(/^The device "a" is busy with job job_\w+ \(start\)/);
    expect(group.devices[1]?.error?.message).to.match(/^The device "b" is stopped/);
    open();
    await world.idle();
  });

  it('take no job of the same kind that their key has begun otherwise for their own', async () => {
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await customer.start('a');
    const { id } = await customer.group({ devices: ['a'], steps: [start] });
    const [device] = (await ended(id)).devices;
    expect(device?.error).to.include({ error: 'busy' });
    open();
    await world.idle();
  });

  it('wait for phones that the service brings back', async () => {
    const again = { kind: { case: 'start', value: {} } } as const;
    const { id } = await customer.group({ devices: ['a'], steps: [start, wait(STEADY_RUN_MS + 60_000), tap, again] });
    while ((await customer.get('a')).state !== DeviceState.RUNNING) await settled();
    world.clock.turn(STEADY_RUN_MS);
    let open = (): void => undefined;
    world.driver.gate = new Promise((resolve) => (open = resolve));
    await world.service.close();
    for (const phoneId of world.driver.phones.keys()) world.driver.phones.set(phoneId, 'stopped');
    await world.begin();
    while ((await customer.get('a')).state !== DeviceState.STARTING) await settled();
    for (let turns = 0; turns < STEADY_RUN_MS / 1_000 + 300; turns++) {
      world.clock.turn(1_000);
      await settled();
    }
    expect(acted).to.deep.equal([]);
    open();
    const { devices } = await ended(id);
    expect(devices.map(({ state, error }) => [state, error?.message])).to.deep.equal([
      [GroupDeviceState.DONE, undefined],
    ]);
    expect(acted).to.have.length(1);
  });

  const wait = (ms: number) => ({ kind: { case: 'wait', value: { ms } } }) as const;

  /** Ends the service, starts the next one, and waits until a run of it has the group. */
  async function takenOver(id: string, end: () => unknown = () => world.kill()): Promise<void> {
    const before = await world.stores.groups.find(id);
    await end();
    await world.begin();
    for (let turns = 0; turns < 3_000; turns++) {
      const group = await world.stores.groups.find(id);
      if (group?.runId !== before?.runId) return;
      world.clock.turn(1_000);
      await settled();
    }
    throw new Error('the group is not taken over');
  }

  it('are given up once several processes have ended during them', async function () {
    this.timeout(900_000);
    const { id, jobId } = await customer.group({ devices: ['a', 'b', 'c'], steps: [wait(1), wait(3_600_000)], concurrency: 2 }); // prettier-ignore
    for (let takeovers = 0; takeovers < MAX_TAKEOVERS; takeovers++) {
      await takenOver(id);
      expect((await customer.getGroup(id)).finishedAt, `after ${takeovers + 1} takeovers`).to.equal(undefined);
    }
    await takenOver(id);
    const group = await ended(id);
    const job = await customer.getJob(jobId);
    expect(job).to.include({ state: JobState.FAILED, progress: 100 });
    expect(job.error).to.include({ error: 'internal' });
    expect(job.error?.message).to.match(/broke off 6 times.*given up.*Create a group of the devices that are not done/);
    expect(group.devices.map(({ state, error }) => [state, error?.error])).to.deep.equal([
      [GroupDeviceState.FAILED, 'internal'],
      [GroupDeviceState.FAILED, 'internal'],
      [GroupDeviceState.SKIPPED, undefined],
    ]);
  });

  it('stay cancelled, wherever a kill comes, and begin no further step', async () => {
    for (let calls = 0; calls < 12; calls += 2) {
      const { id, jobId } = await customer.group({ devices: ['a', 'b', 'c'], steps: [wait(3_600_000), start], concurrency: 1 }); // prettier-ignore
      for (let turns = 0; turns < 20; turns++) await settled();
      world.dieAfter(calls);
      // Its caller may get no response.
      void customer.cancelGroup(id).catch(() => undefined);
      for (let turns = 0; turns < 20; turns++) await settled();
      world.kill();
      await world.begin();
      // What a caller without a response does: cancels again, which changes nothing where the first one was written.
      await customer.cancelGroup(id).catch((error: unknown) => expect(error).to.have.property('kind', 'busy'));
      const group = await ended(id);
      expect(group.state, `killed after ${calls} calls`).to.equal(GroupState.FAILED);
      expect((await customer.getJob(jobId)).error?.message).to.contain('The group was cancelled');
      expect([...world.driver.phones.values()]).to.deep.equal(['stopped', 'stopped', 'stopped']);
    }
  });

  it('are not given up because the service is deployed often', async function () {
    this.timeout(900_000);
    const { id } = await customer.group({ devices: ['a'], steps: [wait(60_000)] });
    for (let closes = 0; closes < MAX_TAKEOVERS + 3; closes++) await takenOver(id, () => world.service.close());
    expect((await ended(id)).state).to.equal(GroupState.DONE);
  });

  it('fail when this release cannot read their steps', async () => {
    const { id } = await customer.group({ devices: ['a', 'b'], steps: [wait(3_600_000)], concurrency: 1 });
    const stored = await world.stores.groups.find(id);
    // A later release stored this group, before a rollback.
    const later = { ...stored!, _id: 'grp_later', jobId: 'job_later', runId: 'later', steps: '{"steps":[{"levitate":{}}]}', leaseUntil: new Date(0) }; // prettier-ignore
    await world.stores.groups.insert(later);
    const group = await ended('grp_later');
    const job = await customer.getJob('job_later');
    expect(job.state).to.equal(JobState.FAILED);
    expect(job.error).to.include({ error: 'unavailable' });
    expect(job.error?.message).to.match(/cannot read the steps of the group.*Create the group again/);
    expect(group.state).to.equal(GroupState.FAILED);
    expect(group.devices.map(({ state }) => state)).to.not.include(GroupDeviceState.WAITING);
  });

  it('fail once their time is up, also when no process can do a step of them', async () => {
    const { id, jobId } = await customer.group({ devices: ['a', 'b'], steps: [wait(1), wait(3_600_000)], concurrency: 1 }); // prettier-ignore
    world.kill();
    world.clock.turn(GROUP_LIMIT_MS);
    await world.begin();
    const group = await ended(id);
    const job = await customer.getJob(jobId);
    expect(job).to.include({ state: JobState.FAILED });
    expect(job.error).to.include({ error: 'timeout' });
    expect(job.error?.message).to.match(/had not ended after 6 hours.*Create a group of the devices that are not done/);
    expect(group.devices.map(({ state, error }) => [state, error?.error])).to.deep.equal([
      [GroupDeviceState.FAILED, 'timeout'],
      [GroupDeviceState.SKIPPED, undefined],
    ]);
  });

  it('act by a credential that ends with the run', async () => {
    const { id } = await customer.group({ devices: ['a'], steps: [tap] });
    await ended(id);
    const authorization = acted[0]?.authorization ?? '';
    expect(authorization).to.match(new RegExp(`^Group ${id}\\.[\\w-]{43}$`));
    const devices = () => world.callAs(authorization);
    const refused: unknown = await devices().catch((error: unknown) => error);
    expect(refused).to.have.property('kind', 'unauthorized');
  });
});
