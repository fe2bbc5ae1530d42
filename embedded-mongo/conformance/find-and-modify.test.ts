import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { errorOf, useDatabase } from '../../testing/conformance-database.js';

describe('MongoDB: findOneAndUpdate and its kin', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  it('gives the document before or after', async () => {
    const collection = mongo.fresh();
    await collection.insertOne({ _id: 1, n: 1 });
    expect(await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).to.deep.equal({ _id: 1, n: 1 });
    const after = await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' });
    expect(after).to.deep.equal({ _id: 1, n: 3 });
    expect(await collection.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } })).to.equal(null);
  });

  it('gives the document before as it was, to its depths', async () => {
    const collection = mongo.fresh();
    const before = { _id: 1, a: { n: 1, list: [{ m: 1 }] }, b: 1 };
    await collection.insertOne(before);
    const update = { $inc: { 'a.n': 1, 'a.list.0.m': 1 }, $unset: { b: '' } };
    expect(await collection.findOneAndUpdate({ _id: 1 }, update)).to.deep.equal(before);
    expect(await collection.findOneAndUpdate({ _id: 1 }, update)).to.deep.equal({
      _id: 1,
      a: { n: 2, list: [{ m: 2 }] },
    });
  });

  it('removes one that matches, and gives it back', async () => {
    const collection = mongo.fresh();
    await collection.insertMany([
      { _id: 1, s: 'new' },
      { _id: 2, s: 'old' },
    ]);
    expect(await collection.findOneAndDelete({ s: 'new' })).to.deep.equal({ _id: 1, s: 'new' });
    expect(await collection.findOneAndDelete({ s: 'new' })).to.equal(null);
    expect(await collection.find().toArray()).to.deep.equal([{ _id: 2, s: 'old' }]);
  });

  it('upserts, and gives null or the inserted document', async () => {
    const collection = mongo.fresh();
    expect(await collection.findOneAndUpdate({ _id: 1 }, { $set: { a: 1 } }, { upsert: true })).to.equal(null);
    const inserted = await collection.findOneAndUpdate(
      { _id: 2 },
      { $setOnInsert: { a: 2 } },
      { upsert: true, returnDocument: 'after', includeResultMetadata: true },
    );
    expect(inserted.value).to.deep.equal({ _id: 2, a: 2 });
    expect(inserted.lastErrorObject).to.deep.equal({ n: 1, updatedExisting: false, upserted: 2 });
  });

  it('reports a unique violation as 11000', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, { unique: true }, {});
    await collection.insertMany([{ a: 1 }, { a: 2 }]);
    expect((await errorOf(collection.findOneAndUpdate({ a: 2 }, { $set: { a: 1 } }))).code).to.equal(11000);
  });

  it('loses no increment of 50 clients', async () => {
    const collection = mongo.fresh();
    await collection.insertOne({ _id: 'counter', n: 0 });
    const clients = await Promise.all(Array.from({ length: 50 }, () => MongoClient.connect(mongo.url)));
    const seen = await Promise.all(
      clients.map(async (client) => {
        const counters = client.db(mongo.db.databaseName).collection(collection.collectionName);
        const values: unknown[] = [];
        for (let turn = 0; turn < 10; turn++) {
          const counter = await counters.findOneAndUpdate(
            { _id: 'counter' as never },
            { $inc: { n: 1 } },
            { returnDocument: 'after' },
          );
          values.push(counter?.['n']);
        }
        await client.close();
        return values;
      }),
    );
    expect(new Set(seen.flat()).size).to.equal(500);
    expect(await collection.findOne()).to.deep.equal({ _id: 'counter', n: 500 });
  });

  it('gives each job to one of 50 workers', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ state: 1, created: 1 }, {}, {});
    await collection.insertMany(Array.from({ length: 200 }, (_, created) => ({ state: 'queued', created })));
    const claim = async (worker: number): Promise<unknown[]> => {
      const claimed: unknown[] = [];
      for (;;) {
        const job = await collection.findOneAndUpdate({ state: 'queued' }, { $set: { state: 'running', worker } });
        if (job === null) return claimed;
        claimed.push(job['created']);
      }
    };
    const claimed = (await Promise.all(Array.from({ length: 50 }, (_, worker) => claim(worker)))).flat();
    expect(claimed).to.have.length(200);
    expect(new Set(claimed).size).to.equal(200);
  });
});
