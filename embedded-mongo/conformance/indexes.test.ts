import { expect } from 'chai';
import type { Collection, Document } from 'mongodb';
import { errorOf, useDatabase, valuesOf, type TestDocument } from '../../testing/conformance-database.js';
import { pick, seededRandom } from '../../testing/seeded-random.js';

describe('MongoDB: indexes', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  it('make their collections, which are listed by database', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, {}, {});
    await mongo.client.db(`${mongo.db.databaseName}_other`).collection('elsewhere').deleteMany({});
    const found = await mongo.db.listCollections().toArray();
    expect(found.find(({ name }) => name === collection.collectionName)).to.include({ type: 'collection' });
    expect(valuesOf(found, 'name')).not.to.include('elsewhere');
    const names = await mongo.db.listCollections({}, { nameOnly: true, batchSize: 1 }).toArray();
    expect(valuesOf(names, 'name')).to.have.members(valuesOf(found, 'name') as string[]);
  });

  it('are made once and listed', async () => {
    const collection = mongo.fresh();
    expect(await collection.createIndex({ a: 1, b: -1 }, {}, {})).to.equal('a_1_b_-1');
    expect(await collection.createIndex({ a: 1, b: -1 }, {}, {})).to.equal('a_1_b_-1');
    await collection.createIndex({ c: 1 }, { unique: true, sparse: true }, {});
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 3_600 }, {});
    const indexes = await collection.indexes();
    expect(valuesOf(indexes, 'name')).to.deep.equal(['_id_', 'a_1_b_-1', 'c_1', 'at_1']);
    expect(indexes[2]).to.include({ unique: true, sparse: true });
    expect(indexes[3]).to.include({ expireAfterSeconds: 3_600 });
  });

  it('find values of any length, longer than an index can hold', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, {}, {});
    const longest = 'k'.repeat(1_900);
    await collection.insertMany([
      { _id: 1, a: longest },
      { _id: 2, a: 'k' },
    ]);
    for (const length of [1_901, 1_970, 1_975, 2_000, 9_000, 100_000]) {
      const beyond = 'k'.repeat(length);
      expect(await collection.findOne({ a: beyond }), String(length)).to.equal(null);
      expect(await collection.findOne({ _id: beyond }), String(length)).to.equal(null);
      expect(await collection.countDocuments({ a: { $gt: beyond } }), String(length)).to.equal(0);
      expect(await collection.countDocuments({ a: { $lt: beyond } }), String(length)).to.equal(2);
      expect(
        await collection
          .find({ a: { $lte: beyond } })
          .sort({ a: -1 })
          .limit(1)
          .next(),
      ).to.include({ _id: 1 });
    }
  });

  it('conflict when a name comes with another key, or a key with another name', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, { name: 'one' }, {});
    expect((await errorOf(collection.createIndex({ b: 1 }, { name: 'one' }, {}))).code).to.equal(86);
    expect((await errorOf(collection.createIndex({ a: 1 }, { name: 'two' }, {}))).code).to.equal(85);
  });

  it('can be dropped and made again with other fields', async () => {
    const collection = mongo.fresh();
    expect((await errorOf(collection.dropIndex('one'))).code).to.equal(26);
    await collection.insertMany(Array.from({ length: 500 }, (_, at) => ({ _id: at, a: at % 7, b: at % 3 })));
    await collection.createIndex({ a: 1 }, { name: 'one' }, {});
    await collection.createIndex({ a: 1, b: 1 }, { name: 'two' }, {});
    expect(await collection.dropIndex('one')).to.include({ nIndexesWas: 3, ok: 1 });
    expect(await collection.find({ a: 3 }).hint('two').toArray()).to.have.length(71);
    expect((await errorOf(collection.find({ a: 3 }).hint('one').toArray())).code).to.equal(2);
    await collection.createIndex({ b: 1 }, { name: 'one' }, {});
    expect(valuesOf(await collection.indexes(), 'name')).to.deep.equal(['_id_', 'two', 'one']);
    expect(await collection.find({ b: 1 }).hint('one').toArray()).to.have.length(167);
    await collection.insertOne({ _id: 500, b: 1 });
    expect(await collection.find({ b: 1 }).hint('one').toArray()).to.have.length(168);
    expect((await errorOf(collection.dropIndex('none'))).code).to.equal(27);
    expect((await errorOf(collection.dropIndex('_id_'))).code).to.equal(72);
  });

  it('that are partial hold only matching documents, and are unique only among them', async () => {
    const collection = mongo.fresh();
    const partialFilterExpression = { state: 'open', owner: { $exists: true } };
    await collection.createIndex({ key: 1 }, { unique: true, partialFilterExpression }, {});
    await collection.insertMany([
      { _id: 1, key: 1, state: 'open', owner: 'a' },
      { _id: 2, key: 1, state: 'done', owner: 'a' },
      { _id: 3, key: 1, state: 'open' },
    ]);
    expect((await errorOf(collection.insertOne({ key: 1, state: 'open', owner: 'b' }))).code).to.equal(11000);
    expect((await errorOf(collection.updateOne({ _id: 3 }, { $set: { owner: 'c' } }))).code).to.equal(11000);
    expect(await collection.countDocuments({ key: 1 })).to.equal(3);
    expect(await collection.countDocuments({ key: 1, state: 'open', owner: 'a' })).to.equal(1);
    await collection.updateOne({ _id: 1 }, { $set: { state: 'done' } });
    await collection.updateOne({ _id: 3 }, { $set: { owner: 'c' } });
    expect(await collection.countDocuments({ key: 1, state: 'open', owner: 'c' })).to.equal(1);
  });

  it('that are sparse still let documents without the field be found', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, { sparse: true }, {});
    await collection.insertMany([{ _id: 1, a: 1 }, { _id: 2 }, { _id: 3, a: null }]);
    const ids = async (filter: Document): Promise<unknown> =>
      (await collection.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => Number(_id));
    expect(await ids({ a: null })).to.deep.equal([2, 3]);
    expect(await ids({ a: { $gte: 1 } })).to.deep.equal([1]);
    expect(await collection.find().sort({ a: 1 }).toArray()).to.have.length(3);
  });

  for (const seed of [1, 2]) {
    it(`find the documents that a scan finds, in the same order, on random data (seed ${seed})`, async function () {
      const random = seededRandom(seed);
      const scanned = mongo.fresh();
      const indexed = mongo.fresh();
      const keys: Record<string, 1 | -1>[] = [
        { a: 1 },
        { a: -1, b: 1 },
        { b: 1, c: -1, a: 1 },
        { 'd.e': 1, a: 1 },
        { c: 1 },
      ];
      for (const key of keys) await indexed.createIndex(key, {}, {});
      await indexed.createIndex({ b: 1, a: 1 }, { sparse: true, name: 'sparse' }, {});
      await indexed.createIndex({ a: 1, c: 1 }, { partialFilterExpression: { b: { $exists: true } } }, {});
      const updates = Array.from({ length: 200 }, () => ({
        _id: Math.floor(random() * 400),
        update: randomUpdate(random),
      }));
      const documents = Array.from({ length: 400 }, (_, _id) => ({ _id, ...randomDocument(random) }));
      for (const collection of [scanned, indexed]) {
        await collection.insertMany(documents);
        await collection.updateMany({ _id: { $lt: 100 } }, { $set: { a: 3 }, $unset: { b: '' } });
        await collection.updateMany({ 'd.0': { $exists: true } }, { $set: { 'd.0': { e: 4 } } });
        await collection.updateMany({ 'd.1': { $exists: true } }, { $set: { 'd.1.e': 2 } });
        await collection.updateMany({ 'd.f': 1, 'd.0': { $exists: false } }, { $set: { 'd.e': 1, c: [2, 'b'] } });
        for (const { _id, update } of updates) await collection.updateOne({ _id }, update);
        await collection.deleteMany({ _id: { $gte: 350 } });
      }
      for (let turn = 0; turn < 400; turn++) {
        const filter = randomFilter(random);
        const sort = random() < 0.5 ? {} : randomSort(random);
        const results = await Promise.all([scanned, indexed].map((collection) => idsOf(collection, filter, sort)));
        expect(results[1], JSON.stringify({ filter, sort })).to.deep.equal(results[0]);
        // A sort without _id may use an index, which leaves equal documents in any order. So only the sorted fields are compared.
        const order = { a: pick<1 | -1>(random, [1, -1]), b: pick<1 | -1>(random, [1, -1]) };
        const ordered = await Promise.all(
          [scanned, indexed].map(async (collection) => {
            const found = await collection.find(filter).sort(order).toArray();
            return found.map(({ a, b }): unknown => [a ?? null, b ?? null]);
          }),
        );
        expect(ordered[1], JSON.stringify({ filter, order })).to.deep.equal(ordered[0]);
      }
    });
  }
});

/** Returns the ids in the order of `sort`, and the ids of equal documents in their own order. */
async function idsOf(collection: Collection<TestDocument>, filter: Document, sort: Document): Promise<unknown[]> {
  const found = await collection.find(filter, { sort: { ...sort, _id: 1 } }).toArray();
  return found.map(({ _id }) => _id as unknown);
}

const SCALARS: readonly unknown[] = [
  0,
  1,
  2,
  3,
  4,
  2.5,
  -1,
  null,
  'a',
  'b',
  'ab',
  '',
  true,
  false,
  new Date(5),
  new Date(9),
];

function randomValue(random: () => number): unknown {
  const kind = random();
  if (kind < 0.8) return pick(random, SCALARS);
  if (kind < 0.9) return { x: pick(random, SCALARS) };
  return Array.from({ length: Math.floor(random() * 3) }, () => pick(random, SCALARS));
}

function randomDocument(random: () => number): Document {
  const document: Document = {};
  // Only c and d are ever arrays. An index of two arrays would be refused, and no index has both of these fields.
  if (random() < 0.9) document['a'] = pick(random, SCALARS);
  if (random() < 0.8) document['b'] = pick(random, SCALARS);
  if (random() < 0.8) document['c'] = randomValue(random);
  const inner = (): Document => (random() < 0.8 ? { e: pick(random, SCALARS) } : { f: 1 });
  const shape = random();
  if (shape < 0.5) document['d'] = inner();
  else if (shape < 0.75) document['d'] = Array.from({ length: Math.floor(random() * 3) }, inner);
  return document;
}

/** Returns an update of one or two fields, so that the indexes of the others are not concerned. */
function randomUpdate(random: () => number): Document {
  const update: Document = { $set: { [pick(random, ['a', 'b', 'unindexed'])]: pick(random, SCALARS) } };
  const other = random();
  if (other < 0.25) update['$unset'] = { c: '' };
  else if (other < 0.5) update['$set'].c = randomValue(random);
  else if (other < 0.75) update['$set'].d = { e: pick(random, SCALARS) };
  return update;
}

function randomFilter(random: () => number): Document {
  const filter: Document = {};
  for (const field of ['a', 'b', 'c', 'd.e']) if (random() < 0.45) filter[field] = randomCondition(random);
  if (random() < 0.1) filter['$or'] = [{ a: randomCondition(random) }, { b: randomCondition(random) }];
  return filter;
}

function randomCondition(random: () => number): unknown {
  const value = (): unknown => pick(random, SCALARS);
  switch (Math.floor(random() * 7)) {
    case 0:
    case 1:
      return value();
    case 2:
      return { $in: [value(), value(), value()] };
    case 3:
      return { $gt: value(), $lte: value() };
    case 4:
      return { [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: value() };
    case 5:
      return { $ne: value() };
    default:
      return { $exists: random() < 0.5 };
  }
}

function randomSort(random: () => number): Record<string, 1 | -1> {
  const fields = ['a', 'b', 'c', 'd.e'].filter(() => random() < 0.5);
  return Object.fromEntries(fields.map((field) => [field, random() < 0.5 ? 1 : -1]));
}
