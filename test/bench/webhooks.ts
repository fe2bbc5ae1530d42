import { fileURLToPath } from 'node:url';
import { openTestCall } from '../../testing/open-test-call.js';
import { Worker } from 'node:worker_threads';
import type { Db } from 'mongodb';
import { Agent, request } from 'undici';
import { systemClock } from '../../kit/async/clock.js';
import { newDelivery } from '../../webhook-service/deliveries/new-delivery.js';
import { DeliveryStore } from '../../webhook-service/store/deliveries.js';
import type { DeliveryDocument } from '../../webhook-service/store/delivery-document.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { startWebhookWorld, type TestKey, type WebhookWorld } from '../webhooks/webhook-world.js';
import { inTurn, quantile, type Report } from './report.js';
import type { Arrival } from './webhook-receiver.js';

const RECEIVERS = 4;
const BATCH = 4_000;
const IN_FLIGHT = 64;
const PENDING = 10_000;
const DUE_OVER_MS = 30_000;
/** Goals of P12 and P13. */
const PER_SECOND = 1_000;
const LONG_RUN_MS = 60_000;

const PAYLOAD = JSON.stringify({
  event: 'job.finished',
  ts: '2026-01-15T09:30:00.000Z',
  phone: 'phone-x7k2m9',
  job: { id: 'job_01jc', kind: 'restart', state: 'done', device: 'phone-x7k2m9', progress: 100 },
});

/**
 * Rows P12 and P13 and the hanging receiver. Receivers run in a thread of their own. The whole way is measured: publish,
 * durable insert, signature, attempt over HTTP, durable end.
 */
export async function benchWebhooks(report: Report): Promise<void> {
  const receivers = await startReceivers();
  const temporary = await openTemporaryDatabase();
  const keys: TestKey[] = receivers.urls.map((url, at) => ({
    keyId: `key_${at}`,
    url,
    text: `cp_${at}`,
    devices: [`d${at}`],
  }));
  const hanging: TestKey = { keyId: 'hanging', url: receivers.hangingUrl, text: 'cp_h', devices: ['hanging'] };
  const world = await startWebhookWorld({
    database: temporary.database,
    keys: [...keys, hanging],
    limits: { closeMs: 100 },
  });
  try {
    await throughput(report, world, receivers, temporary.database);
    await firstAttempts(report, world, receivers);
    await retries(report, receivers, temporary.database);
    await besideHanging(report, world, receivers);
  } finally {
    await world.close();
    await temporary.close();
    await receivers.close();
  }
}

let published = 0;
/** Publishes to each receiver in turn. */
function publishNext(world: WebhookWorld): Promise<number> {
  const number = published++;
  return world.publish(`evt_${number}`, { device: `d${number % RECEIVERS}`, payload: PAYLOAD });
}

async function throughput(report: Report, world: WebhookWorld, receivers: Receivers, database: Db): Promise<void> {
  const ours = async (): Promise<number> => {
    const startedMs = performance.now();
    const before = receivers.count();
    await inParallel(BATCH, IN_FLIGHT, () => publishNext(world));
    await receivers.until(before + BATCH);
    await empty(database);
    return perSecond(BATCH, startedMs);
  };
  const agent = new Agent();
  const bareHttp = async (): Promise<number> => {
    const startedMs = performance.now();
    await inParallel(BATCH, IN_FLIGHT, async (at) => {
      const url = receivers.urls[at % RECEIVERS] ?? '';
      const { body } = await request(url, { method: 'POST', dispatcher: agent, body: PAYLOAD });
      await body.dump();
    });
    return perSecond(BATCH, startedMs);
  };
  const bare = database.collection<{ _id: number; body: string; state: string; at: Date }>('bare');
  await bare.createIndexes([{ key: { at: 1 }, name: 'at' }]);
  const bareStore = async (): Promise<number> => {
    await bare.deleteMany({});
    const at = new Date();
    await bare.insertMany(Array.from({ length: BATCH }, (_, _id) => ({ _id, body: PAYLOAD, state: 'new', at })));
    const startedMs = performance.now();
    await inParallel(BATCH, IN_FLIGHT, async (_id) => {
      await bare.findOneAndUpdate({ _id, state: 'new' }, { $set: { state: 'claimed' } });
      await bare.updateOne({ _id, state: 'claimed' }, { $set: { state: 'done' } });
    });
    return perSecond(BATCH, startedMs);
  };
  const floors: { http: number; store: number }[] = [];
  const theirs = async (): Promise<number> => {
    const floor = { http: await bareHttp(), store: await bareStore() };
    floors.push(floor);
    return Math.min(floor.http, floor.store);
  };
  const { ratio, ...figures } = await inTurn(ours, theirs);
  const [http, store] = [
    quantile(
      floors.map((one) => one.http),
      0.5,
    ),
    quantile(
      floors.map((one) => one.store),
      0.5,
    ),
  ];
  report({
    what: `P12 webhooks delivered per second, published to acknowledged, ${IN_FLIGHT} publishers`,
    ours: `${figures.ours.toFixed(0)}/s`,
    theirs: `${http.toFixed(0)}/s bare undici, ${store.toFixed(0)}/s bare claim+ack`,
    ratio,
    goal: '>= 0.5',
    holds: ratio.median >= 0.5,
  });
  await bare.deleteMany({});
  await agent.close();

  const startedMs = performance.now();
  const before = receivers.count();
  let count = 0;
  // Events are published at the pace of the goal, whatever the service does. A minute at this pace must leave no backlog.
  const publications: Promise<number>[] = [];
  for (let slice = 0; slice < LONG_RUN_MS / 10; slice++) {
    for (; count < ((slice + 1) * PER_SECOND) / 100; count++) publications.push(publishNext(world));
    await systemClock.sleep(Math.max(0, startedMs + (slice + 1) * 10 - performance.now()));
  }
  await Promise.all(publications);
  await receivers.until(before + count);
  await empty(database);
  const rate = perSecond(count, startedMs);
  report({
    what: 'P12 the same for 60 s at a steady 1,000/s, backlog included',
    ours: `${rate.toFixed(0)}/s`,
    theirs: '',
    goal: '>= 1,000/s (0.5 % for the last ones under way)',
    holds: rate >= PER_SECOND * 0.995,
  });
}

/**
 * Publishes one event at a time, 25 ms apart. Measures the time from the call of Publish to the moment at which the receiver has the
 * headers.
 */
async function firstAttempts(report: Report, world: WebhookWorld, receivers: Receivers): Promise<void> {
  const delaysMs = await delays(world, receivers, 200);
  const [p50, p99] = [quantile(delaysMs, 0.5), quantile(delaysMs, 0.99)];
  report({
    what: 'P13 first attempt after publish, p50 and p99',
    ours: `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`,
    theirs: '',
    goal: 'p50 <= 50 ms, p99 <= 500 ms',
    holds: p50 <= 50 && p99 <= 500,
  });
}

async function besideHanging(report: Report, world: WebhookWorld, receivers: Receivers): Promise<void> {
  const alone = await delays(world, receivers, 200);
  await Promise.all(
    Array.from({ length: 200 }, (_, at) => world.publish(`hang_${at}`, { device: 'hanging', payload: PAYLOAD })),
  );
  const beside = await delays(world, receivers, 200);
  const share = (of: number[], part: number): string => `${quantile(of, part).toFixed(1)} ms`;
  const ratio = quantile(beside, 0.5) / quantile(alone, 0.5);
  report({
    what: 'a hanging receiver with 200 events: first attempts at others, p50 and p99',
    ours: `${share(beside, 0.5)}, ${share(beside, 0.99)}`,
    theirs: `${share(alone, 0.5)}, ${share(alone, 0.99)} without it`,
    ratio: { median: ratio, min: ratio, max: ratio },
    goal: 'p50 <= 1.5 x',
    holds: ratio <= 1.5,
  });
}

async function delays(world: WebhookWorld, receivers: Receivers, events: number): Promise<number[]> {
  const delaysMs: number[] = [];
  for (let count = 0; count < events; count++) {
    const before = receivers.count();
    const startedMs = performance.timeOrigin + performance.now();
    await publishNext(world);
    await receivers.until(before + 1);
    delaysMs.push((receivers.arrivals.at(-1)?.atMs ?? NaN) - startedMs);
    await systemClock.sleep(25);
  }
  return delaysMs;
}

/**
 * Measures when each second attempt comes, against its due time. The first attempts of 10,000 deliveries failed, and they are due one after
 * the other.
 */
async function retries(report: Report, receivers: Receivers, database: Db): Promise<void> {
  const startMs = Date.now() + 8_000;
  const dueMs = new Map<string, number>();
  const deliveries = Array.from({ length: PENDING }, (_, at): DeliveryDocument => {
    const event = {
      id: `retry_${at}`,
      type: 'job.finished',
      accountId: 'acc_1',
      device: 'd',
      payload: Buffer.from(PAYLOAD),
    };
    const subscriber = { keyId: 'retry', url: receivers.urls[at % RECEIVERS] ?? '', secret: 's' };
    const delivery = newDelivery(event, subscriber, { nowMs: Date.now(), trace: openTestCall().trace });
    const due = Math.round(startMs + (at * DUE_OVER_MS) / PENDING);
    dueMs.set(delivery._id, due);
    return { ...delivery, made: 1, left: 2, dueAt: new Date(due), nextAt: new Date(due) };
  });
  await database.collection<DeliveryDocument>('deliveries').insertMany(deliveries);
  const before = receivers.count();
  receivers.arrivals.length = 0;
  await receivers.until(before + PENDING);
  const latenessMs = receivers.arrivals.map(({ id, atMs }) => atMs - (dueMs.get(id) ?? NaN));
  const [least, p50, p99] = [Math.min(...latenessMs), quantile(latenessMs, 0.5), quantile(latenessMs, 0.99)];
  report({
    what: `P13 lateness of retries, ${PENDING} pending that become due within ${DUE_OVER_MS / 1000} s: least, p50, p99`,
    ours: `${least.toFixed(1)} ms, ${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`,
    theirs: '',
    goal: 'never early, p99 <= 250 ms',
    holds: latenessMs.length === PENDING && least >= 0 && p99 <= 250,
  });
}

/** Waits until no delivery is pending. */
async function empty(database: Db): Promise<void> {
  const deliveries = new DeliveryStore(database);
  while ((await deliveries.measure(new Date())).pending > 0) await systemClock.sleep(2);
}

async function inParallel(count: number, lanes: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function perSecond(count: number, startedMs: number): number {
  return count / ((performance.now() - startedMs) / 1000);
}

interface Receivers {
  urls: string[];
  hangingUrl: string;
  /** Requests to all but the hanging one, as they arrived. */
  arrivals: Arrival[];
  count(): number;
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

async function startReceivers(): Promise<Receivers> {
  const worker = new Worker(fileURLToPath(new URL('./webhook-receiver.js', import.meta.url)), {
    workerData: RECEIVERS,
  });
  const ports = await new Promise<number[]>((resolve) => worker.once('message', resolve));
  const url = (at: number): string => `http://127.0.0.1:${ports[at] ?? 0}/hook`;
  let count = 0;
  let wake = (): void => undefined;
  const arrivals: Arrival[] = [];
  worker.on('message', (some: Arrival[]) => {
    count += some.length;
    arrivals.push(...some);
    wake();
  });
  return {
    urls: Array.from({ length: RECEIVERS }, (_, at) => url(at)),
    hangingUrl: url(RECEIVERS),
    arrivals,
    count: () => count,
    until: async (wanted) => {
      while (count < wanted) await new Promise<void>((resolve) => (wake = resolve));
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
