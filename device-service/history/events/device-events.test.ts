import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { systemClock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { silentLog } from '../../../kit/log/log.js';
import { joinInMemory } from '../../../kit/rpc/transport.js';
import { ExitType, Plan } from '../../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { FakeDriver } from '../../../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { createDeviceService, type DeviceServiceInstance } from '../../service.js';
import type { DeviceDocument } from '../../store/devices.js';
import { openStores, type Stores } from '../../store/stores.js';
import { publishDeviceEvents } from './device-events.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { until } from '../../../testing/until.js';

describe('events of problems', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let service: DeviceServiceInstance;
  let driver: FakeDriver;
  let published: string[];
  let away: boolean;
  let headers: { authorization: string };

  const events = createClient(
    EventService,
    createRouterTransport((router) =>
      router.service(EventService, {
        record: ({ events: all }) => {
          if (away) throw new Error('the webhook service is away');
          for (const { type, device } of all) published.push(`${type} ${device}`);
          return {};
        },
        publish: () => ({ deliveries: 0 }),
      }),
    ),
  );

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    driver = new FakeDriver();
    published = [];
    away = false;
    service = await createDeviceService({
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database: opened.database,
      drivers: [driver],
      hostId: 'host-1',
      meshToken: undefined,
      events,
    });
    const key = (await service.createFirstAccount('owner@localhost'))?.apiKey ?? '';
    headers = { authorization: `Bearer ${key}` };
  });

  afterEach(async () => {
    await service.close();
    await opened.close();
  });

  async function finished({ job }: { job?: Job | undefined }): Promise<void> {
    const jobs = createClient(JobService, joinInMemory(service.rpc, undefined));
    await jobs.getJob({ id: job!.id, waitS: 10 }, { headers });
  }

  const devices = () => createClient(DeviceService, joinInMemory(service.rpc, undefined));
  const documents = (): Promise<DeviceDocument[]> =>
    opened.database.collection<DeviceDocument>('devices').find().toArray();

  /** Adds a device that ran and lost its phone. */
  async function troubled(name: string): Promise<void> {
    const network = { type: ExitType.DIRECT, country: 'us' };
    await finished(
      await devices().createDevice({ name, model: 'phone-720p', network, plan: Plan.MINUTE }, { headers }),
    );
    driver.lose((await documents())[0]!._id, 'power loss');
    await until(async () => (await documents())[0]?.problem !== undefined);
  }

  it('are published though the device has been deleted meanwhile, and then nothing is left of it', async () => {
    away = true;
    await troubled('one');
    await finished(await devices().deleteDevice({ name: 'one' }, { headers }));
    await until(async () => ((await documents())[0]?.finished ?? []).length === 0);
    expect(await documents()).to.have.length(1);
    expect((await devices().listDevices({}, { headers })).devices).to.deep.equal([]);

    // The open service would publish the event by itself.
    await service.close();
    away = false;
    await publishDeviceEvents(
      { ...stores, mailQueue: undefined, events, log: silentLog },
      new AbortController().signal,
    );
    expect(published.filter((event) => event.startsWith('health'))).to.deep.equal(['health.problem one']);
    expect(await documents()).to.deep.equal([]);
  });

  it('are published before the delete job is filed, and then nothing is left of the device either', async () => {
    await troubled('one');
    await until(() => published.includes('health.problem one'));
    await finished(await devices().deleteDevice({ name: 'one' }, { headers }));
    await until(async () => (await documents()).length === 0);
  });

  it('leave nothing of a device that a crash left between its last event and its end', async () => {
    away = true;
    await troubled('one');
    await finished(await devices().deleteDevice({ name: 'one' }, { headers }));
    await until(async () => ((await documents())[0]?.finished ?? []).length === 0);
    await service.close();
    // This is the state after a crash right after the event was removed.
    await opened.database.collection('devices').updateOne({}, { $set: { deviceEvents: [] } });
    const parts = {
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database: opened.database,
      drivers: [driver],
    };
    service = await createDeviceService({ ...parts, hostId: 'host-1', meshToken: undefined, events });
    expect(await documents()).to.deep.equal([]);
  });
});

describe('events of problems and of new states', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
  });
  afterEach(() => opened.close());

  it('are published for receivers only where a key of the account has a webhook', async () => {
    const at = new Date();
    const problem = { kind: 'adb', message: 'It does not respond.', since: at } as const;
    for (const accountId of ['acc_1', 'acc_2', 'acc_3']) {
      const deviceEvents = [
        { id: `${accountId} problem`, type: 'health.problem' as const, at, problem },
        { id: `${accountId} state`, type: 'device.state' as const, at, state: 'stopped' as const },
      ];
      const names = { _id: `ph_${accountId}`, name: 'one', nameKey: `${accountId}/one` };
      await stores.devices.insert(deviceDocument({ ...names, accountId, deviceEvents }));
    }
    for (const [id, accountId] of [
      ['key_1', 'acc_1'],
      ['key_2', 'acc_2'],
    ] as const) {
      const key = {
        _id: id,
        accountId,
        name: 'ci',
        prefix: 'cpk',
        digest: id,
        scope: 'control' as const,
        devices: ['*'],
      };
      await stores.keys.insert({ ...key, createdAt: at, webhookUrl: 'https://hooks.example' });
    }
    await stores.keys.revoke('key_2', at);
    const [published, recorded]: [string[], string[][]] = [[], []];
    const events = createClient(
      EventService,
      createRouterTransport((router) =>
        router.service(EventService, {
          record: ({ events: all }) => {
            recorded.push(all.map(({ id }) => id));
            return {};
          },
          publish: ({ event }) => {
            published.push(event!.id);
            return { deliveries: 1 };
          },
        }),
      ),
    );
    const parts = { ...stores, mailQueue: undefined, events, log: silentLog };
    await publishDeviceEvents(parts, new AbortController().signal);
    expect(published).to.deep.equal(['acc_1 problem']);
    expect(recorded).to.deep.equal([['acc_1 state', 'acc_2 problem', 'acc_2 state', 'acc_3 problem', 'acc_3 state']]);
    await publishDeviceEvents(parts, new AbortController().signal);
    expect([published.length, recorded.length]).to.deep.equal([1, 1]);
  });
});

describe('new states of many devices', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let recorded: string[][];
  let takes: number;
  let refuses: string | undefined;

  const events = createClient(
    EventService,
    createRouterTransport((router) =>
      router.service(EventService, {
        record: ({ events: all }) => {
          recorded.push(all.map(({ id }) => id));
          if (recorded.length > takes) throw new ConnectError('away', Code.Unavailable);
          if (refuses !== undefined && all.some(({ id }) => id === refuses))
            throw new ConnectError('bad', Code.Internal);
          return {};
        },
      }),
    ),
  );

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    recorded = [];
    takes = Infinity;
    refuses = undefined;
    await opened.database.collection<DeviceDocument>('devices').insertMany(
      Array.from({ length: 450 }, (_, at) => {
        const name = `d${at}`;
        const deviceEvents = [
          { id: `evt_${at}`, type: 'device.state' as const, at: new Date(), state: 'stopped' as const },
        ];
        return deviceDocument({ _id: `ph_${at}`, name, nameKey: `acc_1/${name}`, deviceEvents });
      }),
    );
  });
  afterEach(() => opened.close());

  /** The client's errors, changed from those of Connect as the transport between services does it. */
  const asApiErrors: typeof events = {
    ...events,
    record: (...call) =>
      events.record(...call).catch((error: unknown) => {
        throw ConnectError.from(error).code === Code.Unavailable ? new ApiError('unavailable', 'away') : error;
      }),
  };
  const publish = () =>
    publishDeviceEvents(
      { ...stores, mailQueue: undefined, events: asApiErrors, log: silentLog },
      new AbortController().signal,
    );
  const pending = () => opened.database.collection('devices').countDocuments({ 'deviceEvents.id': { $exists: true } });

  it('are published some at a time, each once', async () => {
    await publish();
    expect(recorded.map((ids) => ids.length)).to.deep.equal([200, 200, 50]);
    expect(new Set(recorded.flat())).to.have.property('size', 450);
    expect(await pending()).to.equal(0);
  });

  it('stay where the webhook service goes away, which is then not called for the others', async () => {
    takes = 1;
    const outcome = await publish().then(
      () => 'published',
      (error: unknown) => String(error),
    );
    expect(outcome).to.contain('away');
    expect(recorded).to.have.length(2);
    expect(await pending()).to.equal(250);
    takes = Infinity;
    await publish();
    expect(await pending()).to.equal(0);
  });

  it('are recorded one by one where the webhook service refuses some, and only the refused one stays', async () => {
    refuses = 'evt_0';
    await publish();
    expect(recorded.map((ids) => ids.length)).to.deep.equal([200, ...Array.from({ length: 200 }, () => 1), 200, 50]);
    expect(await pending()).to.equal(1);
  });
});
