import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import type { ScheduleDocument } from '../../device-service/store/schedules.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { Day, ScheduleRunState } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import {
  ScheduleService,
  type UpdateScheduleRequestSchema,
} from '../../proto/gen/cloudphone/device/v1/schedule_service_pb.js';
import { refusalOf } from '../../testing/refusal.js';
import { type Customer, ServiceWorld } from '../billing/service-world.js';

const HOUR_MS = 3_600_000;
const EVERY_DAY = [Day.MON, Day.TUE, Day.WED, Day.THU, Day.FRI, Day.SAT, Day.SUN];

describe('schedules', () => {
  let world: ServiceWorld;
  let customer: Customer;

  beforeEach(async () => {
    // A Thursday.
    world = await ServiceWorld.open(Date.UTC(2037, 0, 15, 9, 30));
    customer = await world.customer('weekly@example.com');
    await customer.credit('100');
    await customer.create({ name: 'a', start: false });
    await world.idle();
  });

  afterEach(() => world.close());

  const start = { kind: { case: 'start', value: {} } } as const;
  const init = { devices: ['a'], days: [Day.THU, Day.MON], time: '10:00', timezone: 'UTC', steps: [start] };

  async function passMinutes(minutes: number): Promise<void> {
    for (let seconds = 0; seconds < minutes * 60; seconds += 30) {
      world.clock.turn(30_000);
      await letWork();
    }
    await world.idle();
  }

  const groups = () => world.stores.groups.listOpen();

  /** Lets the service get the responses of its database: those to a few calls that come after its own. */
  async function letWork(): Promise<void> {
    for (let calls = 0; calls < 10; calls++) await groups();
  }

  it('run once at their time, and show when they run next', async () => {
    const { id, nextRunAt } = await customer.schedule(init);
    expect(nextRunAt?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 15, 10) / 1_000));
    await passMinutes(29);
    expect(world.driver.phones.get((await firstPhone())!)).to.equal('stopped');
    await passMinutes(2);
    expect(world.driver.phones.get((await firstPhone())!)).to.equal('running');
    const schedule = await customer.getSchedule(id);
    expect(schedule.lastRun?.state).to.equal(ScheduleRunState.DONE);
    expect(schedule.lastRun?.at?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 15, 10) / 1_000));
    expect((await customer.getGroup(schedule.lastRun!.groupId!)).devices[0]?.step).to.equal(1);
    expect(schedule.nextRunAt?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 19, 10) / 1_000));
  });

  it('make up for a time that was missed within the hour, and skip one that is longer ago', async () => {
    const { id } = await customer.schedule(init);
    world.kill();
    world.clock.turn(HOUR_MS);
    await world.begin();
    await passMinutes(1);
    expect((await customer.getSchedule(id)).lastRun?.state).to.equal(ScheduleRunState.DONE);

    await customer.stop('a');
    await world.idle();
    world.kill();
    // Past Monday and Thursday of the next week, by more than an hour.
    world.clock.turn(7 * 24 * HOUR_MS + 2 * HOUR_MS);
    await world.begin();
    await passMinutes(1);
    const { lastRun, nextRunAt } = await customer.getSchedule(id);
    expect(lastRun?.state).to.equal(ScheduleRunState.SKIPPED);
    expect(lastRun?.at?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 22, 10) / 1_000));
    expect(nextRunAt?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 26, 10) / 1_000));
    expect(world.driver.phones.get((await firstPhone())!)).to.equal('stopped');
  });

  const RUN_AT = Date.UTC(2037, 0, 15, 10);
  /** The document of a schedule whose run was claimed by a process that ended before it made the group. */
  async function claimed(): Promise<ScheduleDocument> {
    const { id } = await customer.schedule(init);
    world.kill();
    world.clock.turn(RUN_AT - world.clock.now());
    const document = (await world.stores.schedules.find(customer.accountId, id))!;
    const at = new Date(RUN_AT);
    const begun = { at, groupId: `grp_${id.slice(4)}`, claimedAt: at };
    return (await world.stores.schedules.claim(document, { begun, nextRunAt: new Date(RUN_AT + 96 * HOUR_MS) }))!;
  }
  const change = (request: MessageInitShape<typeof UpdateScheduleRequestSchema>) =>
    createClient(ScheduleService, joinInMemory(world.service.rpc, undefined)).updateSchedule(request, {
      headers: customer.headers,
    });

  it('begin a run that a killed process has claimed within the hour, and skip it later', async () => {
    for (const [hours, state] of [
      [0.9, ScheduleRunState.DONE],
      [1.1, ScheduleRunState.SKIPPED],
    ] as const) {
      const { _id } = await claimed();
      world.clock.turn(hours * HOUR_MS);
      await world.begin();
      await passMinutes(2);
      const { lastRun } = await customer.getSchedule(_id);
      expect([lastRun?.state, lastRun?.at?.seconds], `${hours} hours later`).to.deep.equal([
        state,
        BigInt(RUN_AT / 1_000),
      ]);
      await world.stores.schedules.delete(customer.accountId, _id);
      await world.close();
      world = await ServiceWorld.open(Date.UTC(2037, 0, 15, 9, 30));
      customer = await world.customer('weekly@example.com');
      await customer.credit('100');
      await customer.create({ name: 'a', start: false });
      await world.idle();
    }
  });

  it('skip a claimed run of a schedule that was disabled, and note one whose group is there', async () => {
    const { _id } = await claimed();
    await world.begin();
    expect((await change({ id: _id, enabled: false })).schedule?.nextRunAt).to.equal(undefined);
    await passMinutes(2);
    const { lastRun } = await customer.getSchedule(_id);
    expect(lastRun?.state).to.equal(ScheduleRunState.SKIPPED);
    expect(lastRun?.reason).to.contain('disabled');
    expect(await groups()).to.deep.equal([]);
  });

  it('keep a run that is due where a change does not move it', async () => {
    const { id } = await customer.schedule(init);
    const due = new Date(world.clock.now() - 1);
    await world.database.collection<ScheduleDocument>('schedules').updateOne({ _id: id }, { $set: { nextRunAt: due } });
    await change({ id, concurrency: 2 });
    expect((await world.stores.schedules.find(customer.accountId, id))?.nextRunAt).to.deep.equal(due);
    await change({ id, time: '11:00' });
    expect((await customer.getSchedule(id)).nextRunAt?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 15, 11) / 1_000));
    await change({ id, enabled: false });
    await change({ id, time: '12:00' });
    expect((await customer.getSchedule(id)).nextRunAt).to.equal(undefined);
    await change({ id, enabled: true });
    expect((await customer.getSchedule(id)).nextRunAt?.seconds).to.equal(BigInt(Date.UTC(2037, 0, 15, 12) / 1_000));
  });

  it('are disabled also where a device is gone, but not changed otherwise', async () => {
    const { id } = await customer.schedule(init);
    await customer.remove('a');
    await world.idle();
    expect((await refusalOf(change({ id, concurrency: 2 }))).kind).to.equal('not_found');
    expect((await change({ id, enabled: false })).schedule?.nextRunAt).to.equal(undefined);
  });

  it('keep the claim of a run when an earlier one ends', async () => {
    const { _id, begun } = await claimed();
    const at = new Date(RUN_AT - HOUR_MS);
    const earlier = { at, state: 'running', groupId: 'grp_earlier' } as const;
    await world.database.collection<ScheduleDocument>('schedules').updateOne({ _id }, { $set: { lastRun: earlier } });
    await world.stores.schedules.ended(_id, { ...earlier, state: 'done' });
    const document = await world.stores.schedules.find(customer.accountId, _id);
    expect(document?.begun).to.deep.equal(begun);
    expect(document?.lastRun).to.deep.equal({ ...earlier, state: 'done' });
    await world.begin();
  });

  it('make one group, wherever the service is killed', async function () {
    // Each round is a kill at another call to the database.
    for (let calls = 0; calls < 24; calls += 2) {
      const { id } = await customer.schedule({ ...init, days: EVERY_DAY });
      const { nextRunAt } = await customer.getSchedule(id);
      world.clock.turn(Number(nextRunAt!.seconds) * 1_000 - world.clock.now() - 100);
      await letWork();
      world.dieAfter(calls);
      world.clock.turn(2_000);
      await letWork();
      world.kill();
      await world.begin();
      await passMinutes(2);
      const { lastRun } = await customer.getSchedule(id);
      expect(lastRun?.state, `killed after ${calls} calls`).to.equal(ScheduleRunState.DONE);
      expect((await groups()).filter(({ schedule }) => schedule?.id === id).length).to.be.lessThan(2);
      await world.stores.schedules.delete(customer.accountId, id);
    }
  });

  it('whose key was revoked do not run, and say so', async () => {
    const { id } = await customer.schedule(init);
    const { accountId } = customer;
    await customer.revoke();
    await passMinutes(31);
    const schedule = await world.stores.schedules.find(accountId, id);
    expect(schedule?.lastRun).to.deep.include({
      state: 'failed',
      reason: 'The API key that created this was revoked or has expired.',
    });
    expect(schedule?.nextRunAt).to.deep.equal(new Date(Date.UTC(2037, 0, 19, 10)));
  });

  async function firstPhone(): Promise<string | undefined> {
    return [...world.driver.phones.keys()][0];
  }
});
