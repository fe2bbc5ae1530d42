import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { runServer } from '../../embedded-mongo/server.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { newDelivery } from '../deliveries/new-delivery.js';
import type { DeliveryDocument } from './delivery-document.js';
import { DeliveryStore } from './deliveries.js';
import { urlDigest } from './url-digest.js';

const NOW_MS = Date.UTC(2037, 0, 5);
const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`;

describe('the deliveries collection', () => {
  let opened: TemporaryDatabase;
  let collection: Collection<DeliveryDocument>;
  let store: DeliveryStore;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    collection = opened.database.collection<DeliveryDocument>('deliveries');
    store = new DeliveryStore(opened.database);
    await store.createIndexes();
  });
  afterEach(() => opened.close());

  function delivery(eventId: string): DeliveryDocument {
    const event = { id: eventId, type: 'job.finished', accountId: 'acc_1', device: 'one', payload: Buffer.from('{}') };
    const subscriber = { keyId: 'key_1', url: 'https://receiver.test/', secret: 'secret' };
    return newDelivery(event, subscriber, { nowMs: NOW_MS, trace: { traceparent: TRACEPARENT } });
  }

  it('keeps one delivery of an event to a key, however often the event is published', async () => {
    const outcomes = await Promise.all(['evt_1', 'evt_1', 'evt_2'].map((id) => store.insert(delivery(id))));
    expect(outcomes).to.deep.equal(['inserted', 'known', 'inserted']);
    expect(await collection.countDocuments({})).to.equal(2);
  });

  it('finds deliveries of an older release by their URL once they have digests', async () => {
    const older = delivery('evt_1');
    delete older.urlDigest;
    await collection.insertOne(older);
    await store.addUrlDigests();
    await store.addUrlDigests();
    const found = await store.findDueOf(older.url, new Date(NOW_MS), 10);
    expect(found.map(({ _id }) => _id)).to.deep.equal([older._id]);
  });

  it('takes a URL that is longer than an indexed value', async () => {
    const url = `https://receiver.test/${'x'.repeat(2_020)}`;
    await store.insert({ ...delivery('evt_1'), url, urlDigest: urlDigest(url) });
    expect(await store.findDueOf(url, new Date(NOW_MS), 10)).to.have.length(1);
  });

  it('reports an insertion that did not reach the database as failed', async () => {
    await opened.database.client.close();
    const outcomes = await Promise.allSettled([store.insert(delivery('evt_1')), store.insert(delivery('evt_2'))]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });

  it('reports an insertion for which the disk has no room as failed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'deliveries-'));
    const server = await runServer({ directory, clock: systemClock, log: silentLog, freeBytes: () => 0 });
    const connection = await connectMongo({ url: server.url, log: silentLog });
    try {
      const full = new DeliveryStore(connection.database);
      const outcomes = await Promise.allSettled([full.insert(delivery('evt_1')), full.insert(delivery('evt_2'))]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    } finally {
      await connection.close();
      await server.close();
    }
    await rm(directory, { recursive: true });
  });
});
