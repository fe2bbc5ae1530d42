import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import type { DeviceDocument } from '../../device-service/store/devices.js';
import type { JobDocument } from '../../device-service/store/jobs.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { databaseAddress } from '../../testing/database-address.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import type { RpcListener } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import type { EventDocument } from '../../webhook-service/store/events.js';
import type { DeliveryDocument } from '../../webhook-service/store/delivery-document.js';
import { respondWith, type Received, Receiver } from '../webhooks/receiver.js';
import { DatabaseGate } from './database-gate.js';
import { DeviceProcess, type Phones, phonesIn } from './device-process.js';
import { disturb, lastingDevices } from './disturbance.js';
import { openEventGate } from './event-gate.js';
import { Killer, type KillPoint, killPoints } from './kill-points.js';

const webhookScript = fileURLToPath(new URL('../webhooks/killable-service.js', import.meta.url));
/** More by the environment: DEVICE_KILL_ROUNDS=100. */
const ROUNDS = Number(process.env['DEVICE_KILL_ROUNDS'] ?? 8);
/** The same script each time. */
const SEED = 20_261_120;
const MESH_TOKEN = 'a credential of this test that is long enough';
const EMAIL = 'owner@example.com';
/** How long a service may take to come by a point, ms. */
const PATIENCE_MS = 60_000;

describe(`kill -9 of the device service at each step to an event, ${ROUNDS} times`, function () {
  this.timeout(900_000 + ROUNDS * 10_000);
  let directory: string;
  let mongo: EmbeddedMongo;
  let connection: MongoConnection;
  let databaseGate: DatabaseGate;
  let eventGate: RpcListener;
  let webhook: ChildProcess;
  let toWebhook: Transport;
  let receivers: { good: Receiver; flaky: Receiver; bad: Receiver };
  let apiKey: string;
  let device: DeviceProcess;
  let phones: Phones;
  let toDevice: Transport;
  let killed = new AbortController();
  let names = 0;
  const killer = new Killer(async () => {
    killed.abort(new Error('killed'));
    await device.kill();
  });
  const complaints: string[] = [];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-device-kill-'));
    mongo = await startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog });
    connection = await connectMongo({ url: mongo.url, database: 'killed', log: silentLog });
    databaseGate = await DatabaseGate.open(databaseAddress(mongo.url), killer);
    eventGate = await openEventGate({
      killer,
      meshToken: MESH_TOKEN,
      toDevice: () => toDevice,
      toWebhook: () => toWebhook,
      // By the time that they are published again, their devices have been deleted.
      refusedOnce: ({ type, device: name }) => type !== 'job.finished' && name.startsWith('brief'),
    });
    toWebhook = await startWebhookService();
    const [good, flaky, bad] = await Promise.all([1, 2, 3].map(() => new Receiver().listen()));
    receivers = { good: good!, flaky: flaky!, bad: bad! };
    receivers.flaky.behave = (received, ...rest) =>
      respondWith(received.headers['x-service-attempt'] === '1' ? 503 : 200)(received, ...rest);
    receivers.bad.behave = respondWith(500);
    await begin();
    phones = phonesIn(directory);
    await makeAccount();
  });

  after(async () => {
    await device.stop();
    await phones.quit();
    webhook.kill('SIGKILL');
    await eventGate.close();
    databaseGate.close();
    await Promise.all(Object.values(receivers).map((receiver) => receiver.close()));
    await connection.close();
    await mongo.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function startWebhookService(): Promise<Transport> {
    const gate = `http://127.0.0.1:${eventGate.port}`;
    webhook = spawn(process.execPath, [webhookScript, mongo.url, gate, MESH_TOKEN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      webhook.stdout?.once('data', (line: Buffer) => resolve(Number(line.toString())));
      webhook.once('exit', () => reject(new Error('the webhook service ended')));
    });
    return connectTo({ url: `http://127.0.0.1:${port}`, service: 'the webhook service', meshToken: MESH_TOKEN });
  }

  /** Starts the device service on the same data. Returns whether it came to listen before it was killed. */
  async function begin(): Promise<boolean> {
    killed = new AbortController();
    device = DeviceProcess.start({
      DATA_DIR: directory,
      MONGODB_URL: databaseGate.url,
      MONGODB_DATABASE: 'killed',
      MESH_TOKEN,
      WEBHOOK_SERVICE_URL: `http://127.0.0.1:${eventGate.port}`,
      ALLOW_PRIVATE_TARGETS: 'on',
      SIMULATED_BOOT_MS: '350',
    });
    const port = await device.port();
    if (port === undefined) return false;
    const url = `http://127.0.0.1:${port}`;
    toDevice = connectTo({ url, service: 'the device service', meshToken: MESH_TOKEN });
    return true;
  }

  async function makeAccount(): Promise<void> {
    const admin = createClient(AdminService, toDevice);
    await admin.createAccount({ email: EMAIL, password: 'correct horse' });
    await admin.creditAccount({ email: EMAIL, amount: '10000.00' });
    for (const [name, receiver] of Object.entries(receivers)) {
      const key = { email: EMAIL, name, scope: KeyScope.CONTROL, devices: ['*'], webhookUrl: receiver.url() };
      apiKey = (await admin.createAccountKey(key)).key?.key ?? '';
    }
    const devices = createClient(DeviceService, toDevice);
    const network = { type: ExitType.DIRECT, country: 'us' };
    for (const name of lastingDevices) {
      const wanted = { name, model: 'phone-720p', plan: Plan.MINUTE, network, start: false };
      await devices.createDevice(wanted, { headers: { authorization: `Bearer ${apiKey}` } });
    }
  }

  /** Lets the service be busy until it is killed at the point. */
  async function runInto(
    point: KillPoint,
    { passes, fromStart }: { passes: number; fromStart: boolean },
  ): Promise<void> {
    let hit = fromStart ? killer.arm(point, passes) : undefined;
    const listens = await begin();
    hit ??= killer.arm(point, passes);
    const late = systemClock.sleep(PATIENCE_MS, killed.signal).then(
      () => Promise.reject(new Error(`the service never came by "${point}"`)),
      () => hit,
    );
    const newName = (): string => `brief-${++names}`;
    const disturbed = listens
      ? disturb({ device: toDevice, apiKey, phones, newName, killed: killed.signal }).then(() => hit)
      : hit;
    await Promise.race([disturbed, late]);
    await disturbed;
    complaints.push(...device.log('error', 'fatal'));
  }

  it('loses no job and no event, publishes each under one delivery id, and never a fourth time', async () => {
    await device.kill();
    const random = seededRandom(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const point = killPoints[round % killPoints.length]!;
      const passes = 1 + Math.floor(random() * 3);
      const fromStart = random() < 0.5;
      const leftBehind = point.startsWith('take over');
      // Only a job that was left behind can be taken over, and only at a start.
      if (leftBehind) await runInto('accept, done', { passes, fromStart });
      await runInto(point, leftBehind ? { passes: 1, fromStart: true } : { passes, fromStart });
    }
    console.log(killer.table().replaceAll(/^/gm, '      '));
    for (const point of killPoints.slice(0, ROUNDS)) expect(killer.hits(point), point).to.be.above(0);

    await begin();
    await allToldAndDelivered();
    await device.stop();
    complaints.push(...device.log('error', 'fatal'));
    expect(complaints).to.deep.equal([]);

    const devices = await connection.database.collection<DeviceDocument>('devices').find().toArray();
    const unfinished = devices.filter(
      ({ job, gone, finished = [], deviceEvents = [] }) => job ?? gone ?? finished[0] ?? deviceEvents[0],
    );
    expect(unfinished).to.deep.equal([]);
    const jobs = await connection.database.collection<JobDocument>('jobs').find().toArray();
    expect(jobs.map(({ _id }) => _id).sort()).to.deep.equal([...databaseGate.acceptedJobs].sort());
    for (const { _id, outcome } of jobs) {
      if (outcome.state === 'failed') expect(outcome.error?.message, _id).to.match(/did not boot/);
    }
    const outcomes = new Map(jobs.map(({ _id, outcome }) => [_id, outcome.state]));
    for (const { body } of receivers.good.received) {
      const { job } = JSON.parse(body.toString()) as { job?: { id: string; state: string } };
      if (job !== undefined) expect(job.state, job.id).to.equal(outcomes.get(job.id));
    }

    // Each account's log has every event once, and its numbers have no gap.
    const logged = await connection.database.collection<EventDocument>('events').find().sort({ _id: 1 }).toArray();
    const numbers = logged.map(({ seq }) => seq);
    expect(numbers).to.deep.equal(Array.from({ length: logged.length }, (_, index) => index + 1));
    const ofJobsAndHealth = logged.filter(({ type }) => type !== 'device.state').map(({ eventId }) => eventId);
    expect(ofJobsAndHealth.sort()).to.deep.equal([...databaseGate.acceptedJobs, ...databaseGate.deviceEvents].sort());
    expect(logged.length).to.be.greaterThan(ofJobsAndHealth.length);

    const deliveries = await connection.database.collection<DeliveryDocument>('deliveries').find().toArray();
    const events = [...databaseGate.acceptedJobs, ...databaseGate.deviceEvents];
    console.log(
      `      ${databaseGate.acceptedJobs.size} jobs, ${databaseGate.deviceEvents.size} health events, ${deliveries.length} deliveries, ` +
        `${Object.values(receivers).reduce((sum, { received }) => sum + received.length, 0)} requests`,
    );
    for (const [key, receiver] of Object.entries(receivers)) {
      const wanted = { good: 1, flaky: 2, bad: 3 }[key] ?? 3;
      const ours = deliveries.filter(({ url }) => url === receiver.url());
      expect(ours.map(({ eventId }) => eventId).sort(), key).to.deep.equal(events.sort());
      const received = new Map<string, Received[]>();
      for (const request of receiver.received) {
        const id = String(request.headers['x-service-delivery']);
        received.set(id, [...(received.get(id) ?? []), request]);
      }
      expect([...received.keys()].sort(), key).to.deep.equal(ours.map(({ _id }) => _id).sort());
      for (const [id, requests] of received) {
        const numbers = [...new Set(requests.map(({ headers }) => headers['x-service-attempt']))].sort();
        expect(numbers, id).to.deep.equal(['1', '2', '3'].slice(0, Math.max(wanted, numbers.length)));
        // A machine that is busy can make an attempt take too long; none follows one that was delivered.
        const earlier = ours.find(({ _id }) => _id === id)!.attempts.slice(0, -1);
        expect(
          earlier.map(({ status = 0 }) => status >= 200 && status < 300),
          id,
        ).not.to.include(true);
        expect(new Set(requests.map(({ body }) => body.toString())), id).to.have.length(1);
      }
    }
  });

  async function allToldAndDelivered(): Promise<void> {
    const { database } = connection;
    const left = async (): Promise<number> =>
      (await database.collection('devices').countDocuments({ 'job.id': { $exists: true } })) +
      (await database.collection('devices').countDocuments({ 'finished.id': { $exists: true } })) +
      (await database.collection('devices').countDocuments({ 'deviceEvents.id': { $exists: true } })) +
      (await database.collection('jobs').countDocuments({ eventPending: true })) +
      (await database.collection('deliveries').countDocuments({ state: 'pending' }));
    const deadlineMs = systemClock.monotonicMs() + 60_000;
    while ((await left()) > 0) {
      if (systemClock.monotonicMs() > deadlineMs) throw new Error('an event was not published');
      await systemClock.sleep(20);
    }
  }
});
