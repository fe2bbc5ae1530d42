import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { seededRandom } from '../../testing/seeded-random.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { listenRpc, type RpcListener } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { DeliveryDocument } from '../../webhook-service/store/delivery-document.js';
import { respondWith, Receiver } from './receiver.js';
import { accessRpc, type TestKey } from './webhook-world.js';

const script = fileURLToPath(new URL('./killable-service.js', import.meta.url));
/** Set it higher for a longer run. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 4);
const INSTANCES = 2;
const PUBLISHERS = 4;

interface Instance {
  child: ChildProcess;
  events: Client<typeof EventService>;
}

describe('kill -9 of the webhook service', function () {
  this.timeout(900_000 + rounds * 5_000);
  let directory: string;
  let mongo: EmbeddedMongo;
  let connection: MongoConnection;
  let device: RpcListener;
  let good: Receiver;
  let flaky: Receiver;
  let bad: Receiver;
  let keys: TestKey[];
  const instances: Instance[] = [];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-webhook-kill-'));
    mongo = await startEmbeddedMongo({ directory, log: silentLog });
    connection = await connectMongo({ url: mongo.url, database: 'killed', log: silentLog });
    [good, flaky, bad] = (await Promise.all([1, 2, 3].map(() => new Receiver().listen()))) as [
      Receiver,
      Receiver,
      Receiver,
    ];
    flaky.behave = (received, ...rest) =>
      respondWith(received.headers['x-service-attempt'] === '1' ? 503 : 200)(received, ...rest);
    bad.behave = respondWith(500);
    keys = [good, flaky, bad].map((receiver, at) => ({ keyId: `key_${at}`, url: receiver.url(), text: `cp_${at}` }));
    device = await listenRpc(accessRpc(keys), { host: '127.0.0.1', port: 0, guarded: false });
  });

  after(async () => {
    for (const { child } of instances) child.kill('SIGKILL');
    await Promise.all([good, flaky, bad].map((receiver) => receiver.close()));
    await device.close();
    await connection.close();
    await mongo.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function startInstance(): Promise<Instance> {
    const child = spawn(process.execPath, [script, mongo.url, `http://127.0.0.1:${device.port}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = await new Promise<number>((resolve, reject) => {
      child.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
      child.once('exit', () => reject(new Error('the service ended')));
    });
    const transport = connectTo({ url: `http://127.0.0.1:${port}`, service: 'webhooks', meshToken: undefined });
    return { child, events: createClient(EventService, transport) };
  }

  it('loses no event, makes no fourth attempt, and repeats under the same delivery id and number only', async () => {
    for (let count = 0; count < INSTANCES; count++) instances.push(await startInstance());
    const published: string[] = [];
    let stop = false;
    let next = 0;
    // Publishes as device-service does: an event is published until someone has taken it.
    const publisher = async (): Promise<void> => {
      while (!stop) {
        const number = next++;
        const id = `evt_${number}`;
        const payload = Buffer.from(JSON.stringify({ event: 'job.finished', id }));
        const event = { id, type: 'job.finished', accountId: 'acc_1', device: 'phone-1', payload };
        for (let tries = number, taken = false; !taken; tries++) {
          taken = await instances[tries % INSTANCES]!.events.publish({ event }, { timeoutMs: 1_000 }).then(
            () => true,
            () => false,
          );
          if (!taken) await systemClock.sleep(10);
        }
        published.push(id);
      }
    };
    const publishers = Promise.all(Array.from({ length: PUBLISHERS }, publisher));

    // The same rounds each time.
    const next01 = seededRandom(20_261_120);
    const random = (below: number): number => Math.floor(next01() * below);
    for (let round = 0; round < rounds; round++) {
      await systemClock.sleep(30 + random(400));
      const victim = random(INSTANCES);
      instances[victim]!.child.kill('SIGKILL');
      // Every other time the other one goes too, so that nobody is left to take over.
      if (round % 2 === 1) instances[1 - victim]!.child.kill('SIGKILL');
      for (const at of round % 2 === 1 ? [0, 1] : [victim]) instances[at] = await startInstance();
    }
    stop = true;
    await publishers;

    const deliveries = connection.database.collection<DeliveryDocument>('deliveries');
    while ((await deliveries.countDocuments({ state: 'pending' })) > 0) await systemClock.sleep(50);

    expect(published.length).to.be.above(rounds * 5);
    const documents = await deliveries.find().toArray();
    expect(documents).to.have.length(published.length * keys.length);
    for (const { keyId, state, attempts, made, left } of documents) {
      expect(left).to.equal(0);
      expect(made).to.equal(attempts.length);
      expect([state, made]).to.deep.equal(
        { key_0: ['delivered', 1], key_1: ['delivered', 2], key_2: ['failed', 3] }[keyId],
      );
    }
    for (const [receiver, wanted] of [
      [good, ['1']],
      [flaky, ['1', '2']],
      [bad, ['1', '2', '3']],
    ] as const) {
      const byEvent = new Map<string, { ids: Set<unknown>; numbers: unknown[] }>();
      for (const { body, headers } of receiver.received) {
        const { id } = JSON.parse(body.toString('utf8')) as { id: string };
        const seen = byEvent.get(id) ?? { ids: new Set(), numbers: [] };
        byEvent.set(id, seen);
        seen.ids.add(headers['x-service-delivery']);
        seen.numbers.push(headers['x-service-attempt']);
      }
      expect([...byEvent.keys()].sort()).to.deep.equal([...published].sort());
      for (const [id, { ids, numbers }] of byEvent) {
        expect(ids.size, id).to.equal(1);
        expect([...new Set(numbers)].sort(), id).to.deep.equal(wanted);
      }
    }
  });
});
