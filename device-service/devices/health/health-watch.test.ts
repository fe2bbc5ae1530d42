import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { type Event, EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { publishDeviceEvents } from '../../history/events/device-events.js';
import { CHECKS_AT_ONCE, MAX_SLOW_CHECKS } from '../limits.js';
import type { DeviceStore } from '../../store/devices.js';
import { openStores } from '../../store/stores.js';
import { runningDocument } from '../../../testing/device-document.js';
import { until } from '../../../testing/until.js';
import type { CheckPhone } from './check-phone.js';
import type { Finding } from '../../record/problems.js';
import { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import type { DeviceDocument } from '../../store/devices.js';
import { HealthWatch } from './health-watch.js';

describe('the watch over phones', () => {
  let opened: TemporaryDatabase;
  let devices: DeviceStore;
  let watch: HealthWatch;
  let publish: () => Promise<void>;
  let ending: AbortController;
  let found: Finding;
  let check: CheckPhone;
  let published: Event[];
  let doubtful: Set<string>;
  const adb = { kind: 'adb', message: 'The phone does not respond to ADB. Restart it.' } as const;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    const stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    ({ devices } = stores);
    found = undefined;
    check = async () => found;
    published = [];
    const client = createClient(
      EventService,
      createRouterTransport((router) =>
        router.service(EventService, {
          record: ({ events }) => {
            published.push(...events);
            return {};
          },
        }),
      ),
    );
    const common = { devices, hostId: 'host-1', clock: systemClock, log: silentLog };
    ending = new AbortController();
    publish = () => publishDeviceEvents({ ...stores, ...common, mailQueue: undefined, events: client }, ending.signal);
    doubtful = new Set();
    const context = {
      ...common,
      isDoubtful: ({ _id }: DeviceDocument) => doubtful.has(_id),
      deviceEvents: new Wakeup(),
    };
    watch = new HealthWatch(context, (phone) => check(phone));
    await devices.insert(runningDocument());
  });

  afterEach(() => opened.close());

  async function checkTimes(finding: Finding, times: number): Promise<void> {
    found = finding;
    for (let count = 0; count < times; count++) await watch.checkPhones(ending.signal);
  }

  const problem = async () => (await devices.findById('ph_1'))?.problem?.kind;

  it('checks every well phone in each round, and the others in turn where they are many', async () => {
    const ids = (letter: string, count: number) =>
      Array.from({ length: count }, (_, at) => `ph_${letter}${String(at).padStart(2, '0')}`);
    const sick = ids('s', MAX_SLOW_CHECKS);
    const unknown = ids('u', MAX_SLOW_CHECKS / 2);
    const well = ids('w', 10);
    for (const _id of [...sick, ...unknown, ...well])
      await devices.insert(runningDocument({ _id, name: _id, nameKey: `acc_1/${_id}` }));
    const rounds: string[][] = [];
    check = async ({ phoneId }) => {
      rounds.at(-1)!.push(phoneId);
      return sick.includes(phoneId) ? adb : undefined;
    };
    doubtful = new Set(unknown);
    for (let round = 0; round < 4; round++) {
      rounds.push([]);
      await watch.checkPhones(ending.signal);
    }
    const slow = rounds.map((round) => round.filter((id) => sick.includes(id) || unknown.includes(id)));
    for (const round of rounds) expect(round).to.include.members(['ph_1', ...well]);
    // Phones with a slow check are known from the first round on.
    expect(slow.map(({ length }) => length)).to.deep.equal([60, MAX_SLOW_CHECKS, MAX_SLOW_CHECKS, MAX_SLOW_CHECKS]);
    expect(new Set([...slow[1]!, ...slow[2]!]).size).to.equal(60);
  });

  it('leaves one that becomes doubtful while it waits to the next round', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `ph_f${at}`);
    for (const _id of ids) await devices.insert(runningDocument({ _id, name: _id, nameKey: `acc_1/${_id}` }));
    const checked: string[] = [];
    check = async ({ phoneId }) => {
      checked.push(phoneId);
      doubtful = new Set(ids);
      return undefined;
    };
    await watch.checkPhones(ending.signal);
    expect(checked.length).to.be.at.most(CHECKS_AT_ONCE + 1);
  });

  it('believes neither one bad check nor one good one', async () => {
    await checkTimes(adb, 1);
    expect(await problem()).to.equal(undefined);
    await checkTimes(undefined, 1);
    await checkTimes(adb, 2);
    expect(await problem()).to.equal('adb');
    await checkTimes(undefined, 1);
    expect(await problem()).to.equal('adb');
    await checkTimes(undefined, 1);
    expect(await problem()).to.equal(undefined);
  });

  it('publishes a problem once and its end once', async () => {
    await checkTimes(adb, 5);
    await publish();
    await checkTimes(undefined, 5);
    await publish();
    await publish();
    expect(published.map(({ type }) => type)).to.deep.equal(['health.problem', 'health.resolved']);
    const payload = JSON.parse(Buffer.from(published[0]!.payload).toString('utf8'));
    expect(payload).to.include({ event: 'health.problem', phone: 'one' });
    expect(payload.problem).to.include({ kind: 'adb', message: adb.message });
    expect(payload.problem.since).to.match(/Z$/);
    expect((await devices.findById('ph_1'))?.deviceEvents).to.deep.equal([]);
  });

  it('ends one problem when it finds another', async () => {
    await checkTimes(adb, 2);
    await checkTimes({ kind: 'storage', message: 'full' }, 2);
    await publish();
    expect(published.map(({ type }) => type)).to.deep.equal(['health.problem', 'health.resolved', 'health.problem']);
  });

  it('checks all phones, although the checks of some throw', async () => {
    for (let at = 2; at <= 20; at++) {
      await devices.insert(runningDocument({ _id: `ph_${at}`, name: `n${at}`, nameKey: `acc_1/n${at}` }));
    }
    check = async ({ phoneId }) => {
      if (phoneId !== 'ph_1') throw new Error('a fault of the check');
      return adb;
    };
    await watch.checkPhones(ending.signal);
    await watch.checkPhones(ending.signal);
    expect(await problem()).to.equal('adb');
  });

  it('does not wait for a check when it is closed, and writes nothing from then on', async () => {
    await checkTimes(adb, 1);
    let respond = (_finding: Finding): void => undefined;
    let isChecking = false;
    check = () => {
      isChecking = true;
      return new Promise((resolve) => (respond = resolve));
    };
    const round = watch.checkPhones(ending.signal);
    await until(() => isChecking);
    ending.abort();
    respond(adb);
    await round;
    expect(await problem()).to.equal(undefined);
  });

  it('leaves alone the problems that others found', async () => {
    const device = (await devices.findById('ph_1'))!;
    await devices.changeIdle(device, { problem: { kind: 'balance', message: 'used up', since: new Date() } });
    await checkTimes(undefined, 3);
    expect(await problem()).to.equal('balance');
  });
});
