import { Long } from 'bson';
import { expect } from 'chai';
import { errorOf, useDatabase, valuesOf, type CursorReply } from '../../testing/conformance-database.js';

describe('MongoDB: cursors', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);
  const count = 1_000;

  async function filled(): Promise<ReturnType<typeof mongo.fresh>> {
    const collection = mongo.fresh();
    await collection.createIndex({ n: 1 }, {}, {});
    await collection.insertMany(Array.from({ length: count }, (_, n) => ({ _id: n, n, odd: n % 2 === 1 })));
    return collection;
  }

  for (const batchSize of [1, 2, 7, 999, 1_000, 1_001]) {
    it(`gives every document once in batches of ${batchSize}`, async () => {
      const collection = await filled();
      const limit = batchSize === 1 ? 50 : count;
      const found = await collection.find().sort({ n: 1 }).limit(limit).batchSize(batchSize).toArray();
      expect(valuesOf(found, 'n')).to.deep.equal(Array.from({ length: limit }, (_, n) => n));
    });
  }

  it('gives the first 101 at first by default, and the rest by getMore', async () => {
    const collection = await filled();
    const command = { find: collection.collectionName, filter: {} };
    const { cursor } = (await mongo.db.command(command)) as CursorReply;
    expect(cursor.firstBatch).to.have.length(101);
    const more = (await mongo.db.command({
      getMore: Long.fromNumber(Number(cursor.id)),
      collection: collection.collectionName,
    })) as CursorReply;
    expect(more.cursor.nextBatch).to.have.length(count - 101);
    expect(Number(more.cursor.id)).to.equal(0);
  });

  it('goes on from where it was while documents are removed and added', async () => {
    const collection = await filled();
    const cursor = collection
      .find({ n: { $gte: 0 } })
      .sort({ n: 1 })
      .batchSize(10);
    const seen: unknown[] = [];
    for (let turn = 0; turn < 10; turn++) seen.push((await cursor.next())?.['n']);
    await collection.deleteMany({ n: { $gte: 500 } });
    await collection.insertOne({ _id: 'late', n: -5 });
    for await (const { n } of cursor) seen.push(n);
    expect(seen.slice(0, 500)).to.deep.equal(Array.from({ length: 500 }, (_, n) => n));
    expect(new Set(seen).size).to.equal(seen.length);
  });

  it('ends when it is killed', async () => {
    const collection = await filled();
    const { cursor } = (await mongo.db.command({ find: collection.collectionName, batchSize: 2 })) as CursorReply;
    const plain = mongo.db.command({ getMore: 5, collection: collection.collectionName });
    expect((await errorOf(plain)).code).to.equal(14);
    const killed = await mongo.db.command({
      killCursors: collection.collectionName,
      cursors: [Long.fromNumber(Number(cursor.id))],
    });
    expect(killed['cursorsKilled']).to.have.length(1);
    const again = await mongo.db.command({
      killCursors: collection.collectionName,
      cursors: [Long.fromNumber(Number(cursor.id))],
    });
    expect(again['cursorsNotFound']).to.have.length(1);
    const error = await errorOf(
      mongo.db.command({ getMore: Long.fromNumber(Number(cursor.id)), collection: collection.collectionName }),
    );
    expect(error.code).to.equal(43);
  });

  it('serves many cursors side by side', async () => {
    const collection = await filled();
    const cursors = Array.from({ length: 40 }, () => collection.find({ odd: true }).batchSize(5));
    const lengths = await Promise.all(cursors.map(async (cursor) => (await cursor.toArray()).length));
    expect(new Set(lengths)).to.deep.equal(new Set([count / 2]));
  });

  it('cuts batches by size', async () => {
    const collection = mongo.fresh();
    const text = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 20; n++) await collection.insertOne({ _id: n, text });
    const { cursor } = (await mongo.db.command({ find: collection.collectionName, filter: {} })) as CursorReply;
    expect(cursor.firstBatch.length).to.be.within(10, 16);
    expect(await collection.find().toArray()).to.have.length(20);
  });
});
