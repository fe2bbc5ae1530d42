import { expect } from 'chai';
import { Binary, ObjectId, type Filter } from 'mongodb';
import { useDatabase, valuesOf, type TestDocument } from '../../testing/conformance-database.js';

const ID = new ObjectId();

describe('MongoDB: filters', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);
  let collection: ReturnType<typeof mongo.fresh>;

  const documents: readonly TestDocument[] = [
    { _id: 1, a: 1 },
    { _id: 2, a: 5.5 },
    { _id: 3, a: 'text' },
    { _id: 4, a: null },
    { _id: 5 },
    { _id: 6, a: [1, 5, 10] },
    { _id: 7, a: [] },
    { _id: 8, a: { b: 1, c: 2 } },
    { _id: 9, a: { c: 2, b: 1 } },
    {
      _id: 10,
      a: [
        { b: 1, c: 9 },
        { b: 9, c: 2 },
      ],
    },
    { _id: 11, a: true },
    { _id: 12, a: new Date(1_000) },
    { _id: 13, a: ID },
    { _id: 14, a: new Binary(Buffer.from('ab')) },
    { _id: 15, a: [[1, 2], 3] },
    { _id: 16, a: 'Text two' },
    { _id: 17, a: NaN },
    { _id: 18, a: [null] },
    { _id: 19, a: [{ b: null }, { c: 1 }] },
    { _id: 20, a: [1, 2] },
  ];

  before(async () => {
    collection = mongo.fresh();
    await collection.insertMany([...documents]);
  });

  const cases: [string, Filter<TestDocument>, number[]][] = [
    ['equality with a number, also in arrays', { a: 1 }, [1, 6, 20]],
    ['equality with a document, in its order of fields', { a: { b: 1, c: 2 } }, [8]],
    ['equality with an array as a whole, or as an element', { a: [1, 2] }, [15, 20]],
    ['equality with an empty array', { a: [] }, [7]],
    ['null: missing, null, or null in an array', { a: null }, [4, 5, 18]],
    ['null on a path', { 'a.b': null }, [1, 2, 3, 4, 5, 11, 12, 13, 14, 16, 17, 19]],
    ['$ne', { a: { $ne: 1 } }, [2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]],
    ['$ne null', { 'a.b': { $ne: null } }, [6, 7, 8, 9, 10, 15, 18, 20]],
    ['$gt among numbers only', { a: { $gt: 4 } }, [2, 6]],
    ['$gt and $lt met by different elements', { a: { $gt: 6, $lt: 4 } }, [6]],
    ['$gte and $lte', { a: { $gte: 5, $lte: 5.5 } }, [2, 6]],
    ['$lt of a string', { a: { $lt: 'b' } }, [16]],
    ['$gte null', { a: { $gte: null } }, [4, 5, 18]],
    ['$gt of a date', { a: { $gt: new Date(0) } }, [12]],
    ['$gte of an ObjectId', { a: { $gte: ID } }, [13]],
    ['$lte of a boolean', { a: { $lte: true } }, [11]],
    ['$gte of binary', { a: { $gte: new Binary(Buffer.from('aa')) } }, [14]],
    ['NaN equals itself', { a: NaN }, [17]],
    ['$in', { a: { $in: [5.5, 'text', 10] } }, [2, 3, 6]],
    ['$in with null', { a: { $in: [null, true] } }, [4, 5, 11, 18]],
    ['$in of nothing', { a: { $in: [] } }, []],
    ['$exists', { 'a.b': { $exists: true } }, [8, 9, 10, 19]],
    ['$exists false', { a: { $exists: false } }, [5]],
    ['dotted paths may be met by different elements', { 'a.b': 1, 'a.c': 2 }, [8, 9, 10]],
    ['a position in a path', { 'a.0': 1 }, [6, 15, 20]],
    ['a position, then a field', { 'a.1.b': 9 }, [10]],
    ['$and', { $and: [{ $or: [{ a: 'text' }, { _id: 1 }] }, { _id: { $gt: 1 } }, {}] }, [3]],
    ['$or', { $or: [{ a: 'text' }, { _id: 1 }] }, [1, 3]],
    ['ranges on _id', { _id: { $gt: 17, $lte: 19 } }, [18, 19]],
    ['several _id', { _id: { $in: [3, 1, 99, 3] } }, [1, 3]],
    ['everything', {}, documents.map(({ _id }) => Number(_id))],
  ];

  for (const [name, filter, ids] of cases) {
    it(`finds by ${name}`, async () => {
      const found = await collection.find(filter).sort({ _id: 1 }).toArray();
      expect(valuesOf(found, '_id')).to.deep.equal(ids);
    });
  }

  it('finds the same with an index on the field', async () => {
    await collection.createIndex({ a: 1 }, {}, {});
    for (const [name, filter, ids] of cases) {
      const found = await collection.find(filter).sort({ _id: 1 }).toArray();
      expect(
        found.map(({ _id }) => _id),
        name,
      ).to.deep.equal(ids);
      expect(await collection.countDocuments(filter), name).to.equal(ids.length);
    }
  });

  it('shows the projected fields', async () => {
    const shown = mongo.fresh();
    await shown.insertOne({ _id: 1, a: { b: 1, c: 2 }, d: [{ e: 1 }, 3], g: 5 });
    const cases: [object, object][] = [
      [{ g: 1 }, { _id: 1, g: 5 }],
      [
        { d: 1, a: true },
        { _id: 1, a: { b: 1, c: 2 }, d: [{ e: 1 }, 3] },
      ],
      [
        { d: 0, g: false },
        { _id: 1, a: { b: 1, c: 2 } },
      ],
      [{ _id: 1 }, { _id: 1 }],
      [{ missing: 1 }, { _id: 1 }],
    ];
    for (const [projection, expected] of cases)
      expect(await shown.findOne({}, { projection }), JSON.stringify(projection)).to.deep.equal(expected);
  });

  it('finds nothing in a collection that is not there', async () => {
    const none = mongo.fresh();
    expect(await none.find().toArray()).to.deep.equal([]);
    expect(await none.findOne({ _id: 1 })).to.equal(null);
    expect(await none.countDocuments({ a: 1 })).to.equal(0);
    expect((await none.updateOne({ _id: 1 }, { $set: { a: 1 } })).matchedCount).to.equal(0);
    expect((await none.deleteMany({})).deletedCount).to.equal(0);
  });
});
