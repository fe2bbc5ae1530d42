import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { systemClock } from '../../kit/async/clock.js';
import { DeliveryState } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { until } from '../../testing/until.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { respondWith, hang, Receiver } from './receiver.js';
import { digestOf, startWebhookWorld, type TestKey, type WebhookWorld } from './webhook-world.js';

describe('webhook delivery', () => {
  let temporary: TemporaryDatabase;
  let receiver: Receiver;
  let clock: FakeClock;
  let key: TestKey;
  let world: WebhookWorld;

  beforeEach(async () => {
    temporary = await openTemporaryDatabase();
    receiver = await new Receiver().listen();
    clock = new FakeClock(Date.now());
    key = { keyId: 'key_1', url: receiver.url(), text: 'cp_test' };
    world = await startWebhookWorld({ database: temporary.database, keys: [key], clock });
  });

  afterEach(async () => {
    const closed = world.close();
    await clock.pass(11_000, 500);
    await closed;
    await receiver.close();
    await temporary.close();
  });

  /** Turns the clock and lets the database and the network follow, until it holds. */
  async function turnUntil(holds: () => boolean | Promise<boolean>, ms: number, stepMs = 100): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      if (await holds()) return;
      clock.turn(stepMs);
      await systemClock.sleep(2);
    }
    if (!(await holds())) throw new Error(`it does not hold after ${ms} ms`);
  }

  const only = async () => (await world.deliveries(key))[0];

  it('sends the published bytes, signed, with the headers of the contract', async () => {
    const payload = '{"event": "job.finished",  "phone":"käse"}';
    expect(await world.publish('evt_1', { payload })).to.equal(1);
    await receiver.until(1);
    const { headers, body, path } = receiver.received[0]!;
    expect(path).to.equal('/hook');
    expect(body.toString('utf8')).to.equal(payload);
    expect(headers['x-service-signature']).to.equal(createHmac('sha256', digestOf(key)).update(body).digest('hex'));
    expect(headers).to.include({
      'x-service-event': 'job.finished',
      'x-service-attempt': '1',
      'content-type': 'application/json',
    });
    expect(headers['x-service-delivery']).to.match(/^dlv_/);
    expect(headers['traceparent']).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(headers).not.to.have.any.keys('authorization');
    const [delivery] = await world.finished(key);
    expect(delivery).to.include({
      id: headers['x-service-delivery'],
      event: 'job.finished',
      state: DeliveryState.DELIVERED,
    });
    expect(delivery!.attempts).to.have.length(1);
    expect(delivery!.attempts[0]).to.include({ status: 204 });
  });

  it('makes three attempts, 10 s and 60 s after the end of the one before, and then gives up', async () => {
    receiver.behave = respondWith(503);
    await world.publish('evt_1');
    await until(async () => (await only())?.attempts.length === 1);
    clock.turn(9_000);
    await systemClock.sleep(50);
    expect(receiver.received).to.have.length(1);
    await turnUntil(async () => (await only())?.attempts.length === 2, 5_000);
    clock.turn(58_000);
    await systemClock.sleep(50);
    expect(receiver.received).to.have.length(2);
    await turnUntil(async () => (await only())?.state === DeliveryState.FAILED, 5_000);
    clock.turn(600_000);
    await systemClock.sleep(100);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).to.deep.equal(['1', '2', '3']);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery']))).to.have.length(1);
    expect(new Set(receiver.received.map(({ body }) => body.toString('hex')))).to.have.length(1);
    const [delivery] = await world.deliveries(key);
    expect(delivery!.attempts.map(({ status, error }) => [status, error])).to.deep.equal(
      Array(3).fill([503, 'status_503']),
    );
    const times = delivery!.attempts.map(({ at }) => Number(at!.seconds) * 1000 + at!.nanos / 1e6);
    expect(times[1]! - times[0]!).to.be.within(10_000, 12_000);
    expect(times[2]! - times[1]!).to.be.within(60_000, 62_000);
    expect(delivery!.nextAttemptAt).to.equal(undefined);
  });

  it('counts the 10 s from the end of an attempt that timed out', async () => {
    receiver.behave = hang;
    await world.publish('evt_1');
    await receiver.until(1);
    clock.turn(9_900);
    await systemClock.sleep(30);
    expect((await only())!.attempts).to.have.length(0);
    // An attempt may take 10 s.
    clock.turn(100);
    await until(async () => (await only())?.attempts.length === 1);
    expect((await only())!.attempts[0]).to.include({ error: 'timeout' });
    receiver.behave = respondWith(200);
    clock.turn(9_500);
    await systemClock.sleep(30);
    expect(receiver.received).to.have.length(1);
    await turnUntil(async () => (await only())?.state === DeliveryState.DELIVERED, 3_000);
    expect(receiver.received[1]!.headers['x-service-attempt']).to.equal('2');
  });

  it('measures the queue and the outcomes of attempts', async () => {
    receiver.behave = respondWith(503);
    await world.publish('evt_1');
    await until(async () => (await only())?.attempts.length === 1);
    const waiting = await world.metrics.metrics();
    expect(waiting)
      .to.match(/^webhook_queue_depth 1$/m)
      .and.to.match(/^webhook_oldest_due_age_seconds 0$/m);
    receiver.behave = respondWith(200);
    await turnUntil(async () => (await only())?.state === DeliveryState.DELIVERED, 12_000);
    const done = await world.metrics.metrics();
    expect(done)
      .to.match(/^webhook_queue_depth 0$/m)
      .and.to.match(/^webhook_attempts_running 0$/m);
    expect(done).to.contain('webhook_attempts_total{outcome="status_5xx"} 1');
    expect(done).to.contain('webhook_attempts_total{outcome="delivered"} 1');
    expect(done).to.match(/^webhook_first_attempt_delay_seconds_count 1$/m);
  });

  it('leaves unfinished deliveries to the next instance, under the same number', async () => {
    receiver.behave = hang;
    await world.publish('evt_1');
    await receiver.until(1);
    const closed = world.close();
    await clock.pass(11_000, 500);
    await closed;
    receiver.behave = respondWith(200);
    world = await startWebhookWorld({ database: temporary.database, keys: [key], clock });
    await turnUntil(async () => (await only())?.state === DeliveryState.DELIVERED, 20_000);
    const numbers = receiver.received.map(({ headers }) => headers['x-service-attempt']);
    expect(numbers[0]).to.equal('1');
    expect(numbers.length).to.equal(2);
  });

  it('makes nothing of an event that is published again', async () => {
    expect(await world.publish('evt_1')).to.equal(1);
    expect(await world.publish('evt_1', { payload: '{"other": true}' })).to.equal(1);
    await Promise.all(Array.from({ length: 8 }, () => world.publish('evt_2')));
    await world.finished(key);
    clock.turn(600_000);
    await systemClock.sleep(100);
    expect(receiver.received).to.have.length(2);
    expect(await world.deliveries(key)).to.have.length(2);
  });
});
