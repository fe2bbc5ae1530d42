import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import { Wakeup } from '../../../kit/ops/periodic-tasks.js';
import { CrashKind } from '../../../proto/gen/cloudphone/device/v1/crash_pb.js';
import { type ReportedCrash, ReportedCrashSchema } from '../../../proto/gen/cloudphone/device/v1/crash_service_pb.js';
import { EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { mortalDatabase } from '../../../testing/mortal-database.js';
import { CrashStore } from '../../store/crashes.js';
import { DeviceStore } from '../../store/devices.js';
import { keepCrashes, MAX_CRASHES, MAX_STORED } from './keep-crashes.js';
import { publishCrashes } from './publish-crashes.js';
import { sweepCrashes } from './sweep-crashes.js';

const BEGUN_MS = Date.UTC(2026, 10, 20, 17);
const NOW_MS = BEGUN_MS + 10 * 86_400_000;

describe('crashes that are reported', () => {
  let opened: TemporaryDatabase;
  let crashes: CrashStore;
  let devices: DeviceStore;
  let published: string[];
  let entries: number;

  const events = createClient(
    EventService,
    createRouterTransport((router) =>
      router.service(EventService, {
        publish: ({ event }) => {
          published.push(event?.id ?? '');
          return { deliveries: 1 };
        },
      }),
    ),
  );
  const parts = (database = opened.database) => ({
    crashes: new CrashStore(database),
    devices: new DeviceStore(database),
    crashEvents: new Wakeup(),
    clock: new FakeClock(NOW_MS),
    events,
    timelineQueue: {
      add: () => {
        entries++;
      },
    },
    log: silentLog,
  });
  const publish = (context = parts()) => publishCrashes(context, new AbortController().signal);
  const reported = (more: { atMs?: number; process?: string; kind?: CrashKind; phoneId?: string }): ReportedCrash => {
    const { atMs = BEGUN_MS, process = 'com.example', kind = CrashKind.JAVA, phoneId = 'ph_1' } = more;
    const crash = { phoneId, kind, process, generation: 1, package: 'com.example', reason: 'java.lang.Error' };
    return create(ReportedCrashSchema, { ...crash, trace: 'FATAL EXCEPTION: main', at: timestampFromMs(atMs) });
  };
  const keep = (...some: ReportedCrash[]) => keepCrashes(parts(), some);

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    ({ crashes, devices } = parts());
    await Promise.all([crashes.createIndexes(), devices.createIndexes()]);
    await devices.insert(deviceDocument());
    published = [];
    entries = 0;
  });
  afterEach(() => opened.close());

  it('are one of a process and type in a minute, whatever their order, with its id for all of them', async () => {
    const many = Array.from({ length: 10 }, (_, at) => reported({ atMs: BEGUN_MS + 30_000 + at * 5_900 }));
    const [first, ...others] = await keep(...many);
    expect(first).to.match(/^crs_/);
    expect(new Set(others)).to.deep.equal(new Set([first]));
    // Earlier ones of the same minute, as when a log is read again from its beginning.
    expect(await keep(...many.toReversed())).to.deep.equal(Array.from({ length: 10 }, () => first));
    const [anr, other, later] = await keep(
      reported({ kind: CrashKind.ANR }),
      reported({ process: 'com.example:sync' }),
      reported({ atMs: BEGUN_MS + 90_000 }),
    );
    expect(new Set([first, anr, other, later]).size).to.equal(4);
    const [native] = await keep(reported({ kind: CrashKind.NATIVE, atMs: BEGUN_MS + 31_000 }));
    expect(native).to.be.oneOf([first, later]);
    await publish();
    await publish();
    expect(published.toSorted()).to.deep.equal([first, anr, other, later].toSorted());
    expect(entries).to.equal(4);
  });

  it('are a hundred of a device at the most, the latest, and do not come back', async () => {
    const all: string[] = [];
    for (let at = 0; at < MAX_CRASHES * 10; at++) {
      all.push(...(await keep(reported({ atMs: BEGUN_MS + at * 60_000 }))));
      if (at % 50 === 0) await publish();
    }
    await publish();
    const listed = (await crashes.list('ph_1', 200)).map(({ _id }) => _id);
    expect(listed).to.deep.equal(all.slice(-MAX_CRASHES).reverse());
    expect(await crashes.count('ph_1', 1_000)).to.equal(MAX_CRASHES);
    expect(published).to.have.lengthOf(MAX_CRASHES * 10);
    expect(await keep(reported({ atMs: BEGUN_MS }))).to.deep.equal(['']);
    expect(await keep(reported({ atMs: BEGUN_MS + MAX_CRASHES * 10 * 60_000 - 60_000 }))).to.deep.equal(all.slice(-1));
    await publish();
    expect(published).to.have.lengthOf(MAX_CRASHES * 10);
  }).timeout(120_000);

  it('of the future give way to one of the present, as where the clock of a phone was set back', async () => {
    for (let at = 1; at <= MAX_CRASHES; at++) await keep(reported({ atMs: NOW_MS + at * 3_600_000 }));
    await publish();
    const [id] = await keep(reported({ atMs: NOW_MS - 5_000 }));
    expect((await crashes.list('ph_1', 200)).map(({ _id }) => _id)).to.deep.equal([id]);
    await publish();
    expect(published).to.have.lengthOf(MAX_CRASHES + 1);
  }).timeout(60_000);

  it('lose no event while the webhook service is away, up to a bound', async () => {
    for (let at = 0; at < MAX_STORED * 2; at++) await keep(reported({ atMs: BEGUN_MS + at * 60_000 }));
    expect(await crashes.count('ph_1', 1_000)).to.equal(MAX_STORED);
    expect(await crashes.list('ph_1', 200)).to.have.lengthOf(MAX_CRASHES);
    await publish();
    expect(new Set(published).size).to.equal(MAX_STORED);
    expect(await crashes.count('ph_1', 1_000)).to.equal(MAX_CRASHES);
  }).timeout(120_000);

  it('are not kept of a device that is gone, and go with theirs', async () => {
    expect(await keep(reported({ phoneId: 'ph_gone' }))).to.deep.equal(['']);
    const [id] = await keep(reported({}));
    await publish();
    await devices.insert(deviceDocument({ _id: 'ph_2', name: 'two', nameKey: 'acc_1/two' }));
    await keep(reported({ phoneId: 'ph_2' }));
    await crashes.insert({ ...(await crashes.list('ph_1', 1))[0]!, _id: 'crs_left', phoneId: 'ph_left', slot: 'left' });
    await sweepCrashes(parts(), new AbortController().signal);
    expect((await crashes.phones()).toSorted()).to.deep.equal(['ph_1', 'ph_2']);
    await crashes.removeOfPhone('ph_1');
    await crashes.removeOfPhone('ph_2');
    expect(await crashes.find(id ?? '')).to.equal(null);
    expect(await crashes.list('ph_2', 10)).to.deep.equal([]);
    await publish();
    expect(published, 'the event of a removed crash is not lost').to.have.lengthOf(2);
    expect(await crashes.phones()).to.deep.equal([]);
  });

  it('are kept and published once, wherever the end of the process comes', async () => {
    let completed = 0;
    for (let calls = 0; completed === 0; calls++) {
      const crash = reported({ atMs: BEGUN_MS + calls * 60_000 });
      const way = mortalDatabase(opened.database);
      way.dieAfter(calls);
      const dying = parts(way.database);
      const work = keepCrashes(dying, [crash])
        .then(() => publish(dying))
        .then(
          () => {
            completed++;
          },
          () => undefined,
        );
      await Promise.race([work, way.cut()]);
      for (let turn = 0; turn < 5; turn++) await settled();
      // The next process reads the log again, and publishes what it finds.
      const [id = ''] = await keep(crash);
      await publish();
      expect((await crashes.find(id))?.eventPending, `after ${calls} calls`).to.equal(undefined);
      expect(await crashes.count('ph_1', 1_000), `after ${calls} calls`).to.equal(calls + 1);
      // The webhook service takes an event of an id once.
      expect(new Set(published).size, `after ${calls} calls`).to.equal(calls + 1);
      expect(published.at(-1)).to.equal(id);
      expect(calls).to.be.below(30);
    }
  });
});
