import { expect } from 'chai';
import { Registry } from 'prom-client';
import { FakeClock } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { webhookMetrics } from '../../webhook-service/metrics.js';
import type { DeliveryDocument } from '../../webhook-service/store/delivery-document.js';
import { DeliveryStore } from '../../webhook-service/store/deliveries.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';

describe('the metrics of the webhook queue', () => {
  let temporary: TemporaryDatabase;
  let deliveries: DeliveryStore;
  let clock: FakeClock;
  let metrics: Registry;

  beforeEach(async () => {
    temporary = await openTemporaryDatabase();
    deliveries = new DeliveryStore(temporary.database);
    await deliveries.createIndexes();
    clock = new FakeClock();
    metrics = new Registry();
    webhookMetrics({ metrics, deliveries, clock, log: silentLog, running: () => 0 });
  });

  afterEach(() => temporary.close());

  /** A delivery that can be claimed `agoS` ago. */
  function pending(id: string, agoS: number): DeliveryDocument {
    const at = new Date(clock.now() - agoS * 1_000);
    const what = { keyId: 'key_1', accountId: 'acc_1', event: 'test', device: '', url: 'https://example.com' };
    const text = { body: Buffer.from('{}'), signature: '', traceId: '' };
    const state = { state: 'pending' as const, attempts: [], made: 0, left: 3 };
    return { _id: id, eventId: id, ...what, ...text, ...state, createdAt: at, dueAt: at, nextAt: at };
  }

  it('is of the moment of the scrape, not of the one before', async () => {
    expect(await figures()).to.deep.equal({ depth: 0, oldestS: 0 });
    await deliveries.insert(pending('one', 40));
    await deliveries.insert(pending('two', 90));
    await deliveries.insert(pending('later', -10));
    expect(await figures()).to.deep.equal({ depth: 3, oldestS: 90 });
    clock.turn(5_000);
    expect(await figures()).to.deep.equal({ depth: 3, oldestS: 95 });
  });

  async function figures(): Promise<{ depth: number; oldestS: number }> {
    const text = await metrics.metrics();
    const of = (name: string): number => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
    return { depth: of('webhook_queue_depth'), oldestS: of('webhook_oldest_due_age_seconds') };
  }
});
