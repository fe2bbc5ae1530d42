import { expect } from 'chai';
import { Binary, ObjectId } from 'mongodb';
import { useDatabase, valuesOf, type TestDocument } from '../../testing/conformance-database.js';

/** One of each kind, in MongoDB's order. */
const ASCENDING: readonly unknown[] = [
  null,
  NaN,
  -Infinity,
  -2.5,
  0,
  1,
  1.5,
  2 ** 40,
  Infinity,
  '',
  'A',
  'B',
  'a',
  'aa',
  'é',
  '\uffee',
  '👋', // above U+FFEE by UTF-8 bytes, below it by UTF-16 units
  {},
  { a: 1 },
  { a: 2 },
  { a: 2, b: 0 },
  { b: 1 },
  { a: 'text' },
  new Binary(Buffer.from([9])),
  new Binary(Buffer.from([1, 1])),
  new ObjectId('000000000000000000000001'),
  new ObjectId('f00000000000000000000000'),
  false,
  true,
  new Date(-1_000),
  new Date(0),
  new Date(1_000),
];

describe('MongoDB: sorting', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  for (const indexed of [false, true]) {
    const how = indexed ? 'with an index' : 'without an index';

    it(`orders values of all types, ${how}`, async () => {
      const collection = mongo.fresh();
      if (indexed) await collection.createIndex({ value: 1 }, {}, {});
      const documents: TestDocument[] = ASCENDING.map((value, rank) => ({
        _id: ((rank * 7) % 31) + rank / 100,
        rank,
        value,
      }));
      await collection.insertMany(documents);
      const ascending = await collection.find().sort({ value: 1 }).toArray();
      expect(valuesOf(ascending, 'rank')).to.deep.equal(ASCENDING.map((_, rank) => rank));
      const descending = await collection.find().sort({ value: -1 }).toArray();
      expect(valuesOf(descending, 'rank')).to.deep.equal(ASCENDING.map((_, rank) => rank).reverse());
    });

    it(`orders by several fields in different directions, ${how}`, async () => {
      const collection = mongo.fresh();
      if (indexed) await collection.createIndex({ a: 1, b: -1 }, {}, {});
      await collection.insertMany([3, 1, 2].flatMap((a) => ['x', 'z', 'y'].map((b) => ({ a, b }))));
      const shown = async (sort: Record<string, 1 | -1>): Promise<string> =>
        (await collection.find().sort(sort).toArray()).map(({ a, b }) => `${String(a)}${String(b)}`).join(' ');
      expect(await shown({ a: 1, b: -1 })).to.equal('1z 1y 1x 2z 2y 2x 3z 3y 3x');
      expect(await shown({ a: -1, b: 1 })).to.equal('3x 3y 3z 2x 2y 2z 1x 1y 1z');
      expect(await shown({ a: 1, b: 1 })).to.equal('1x 1y 1z 2x 2y 2z 3x 3y 3z');
    });

    it(`counts an array by its least or greatest element, ${how}`, async () => {
      const collection = mongo.fresh();
      if (indexed) await collection.createIndex({ a: 1 }, {}, {});
      await collection.insertMany([
        { _id: 'low and high', a: [1, 9] },
        { _id: 'middle', a: 5 },
        { _id: 'empty', a: [] },
        { _id: 'none' },
      ]);
      const ids = async (direction: 1 | -1): Promise<unknown[]> =>
        (await collection.find().sort({ a: direction }).toArray()).map(({ _id }) => _id);
      expect(await ids(1)).to.deep.equal(['empty', 'none', 'low and high', 'middle']);
      expect(await ids(-1)).to.deep.equal(['low and high', 'middle', 'none', 'empty']);
    });

    it(`limits in the given order, ${how}`, async () => {
      const collection = mongo.fresh();
      if (indexed) await collection.createIndex({ n: 1 }, {}, {});
      await collection.insertMany(Array.from({ length: 5_000 }, (_, at) => ({ n: (at * 7_919) % 5_000 })));
      const page = await collection.find().sort({ n: -1 }).limit(3).toArray();
      expect(valuesOf(page, 'n')).to.deep.equal([4_999, 4_998, 4_997]);
    });
  }

  it('orders the matches of $in by the index it walks, and by a field after it', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ state: 1, at: 1 }, {}, {});
    await collection.insertMany(Array.from({ length: 30 }, (_, at) => ({ state: ['c', 'a', 'b'][at % 3], at })));
    const filter = { state: { $in: ['c', 'a'] } };
    const byBoth = await collection.find(filter).sort({ state: -1, at: -1 }).toArray();
    expect(valuesOf(byBoth, 'at')).to.deep.equal([
      ...Array.from({ length: 10 }, (_, turn) => 27 - turn * 3),
      ...Array.from({ length: 10 }, (_, turn) => 28 - turn * 3),
    ]);
    const byAt = await collection.find(filter).sort({ at: 1 }).limit(4).toArray();
    expect(valuesOf(byAt, 'at')).to.deep.equal([0, 1, 3, 4]);
  });
});
