import { expect } from 'chai';
import { ObjectId, type UpdateFilter } from 'mongodb';
import { errorOf, useDatabase, valuesOf, type TestDocument } from '../../testing/conformance-database.js';

describe('MongoDB: updates', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  /** The document after an update. */
  async function updated(before: TestDocument, update: UpdateFilter<TestDocument>): Promise<TestDocument> {
    const collection = mongo.fresh();
    await collection.insertOne({ _id: 1, ...before });
    await collection.updateOne({ _id: 1 }, update);
    const { _id, ...after } = (await collection.findOne({ _id: 1 })) ?? {};
    expect(_id).to.equal(1);
    return after;
  }

  const cases: [string, TestDocument, UpdateFilter<TestDocument>, TestDocument][] = [
    ['$set adds, changes and makes the way', { a: 1 }, { $set: { a: 2, 'b.c': 3 } }, { a: 2, b: { c: 3 } }],
    ['$set keeps the place of a field', { a: 1, b: 2 }, { $set: { a: 9 } }, { a: 9, b: 2 }],
    ['$set changes an element and pads with null', { a: [1] }, { $set: { 'a.0': 5, 'a.2': 7 } }, { a: [5, null, 7] }],
    ['$unset removes a field', { a: { b: 1, c: 2 }, d: 1 }, { $unset: { 'a.b': '', d: '', x: '' } }, { a: { c: 2 } }],
    ['$unset leaves null in an array', { a: [1, 2, 3] }, { $unset: { 'a.1': '' } }, { a: [1, null, 3] }],
    [
      '$inc adds, and sets what is missing',
      { a: 1 },
      { $inc: { a: 2, b: 3, 'c.d': -1 } },
      { a: 3, b: 3, c: { d: -1 } },
    ],
    ['$inc passes the int32 limit', { a: 2 ** 31 - 1 }, { $inc: { a: 1 } }, { a: 2 ** 31 }],
    ['$push appends, and makes the array', { a: [1] }, { $push: { a: 2, b: 3 } as never }, { a: [1, 2], b: [3] }],
    ['$push appends an array as one element', { a: [1] }, { $push: { a: [2, 3] } as never }, { a: [1, [2, 3]] }],
    ['$push with $each appends each', { a: [1] }, { $push: { a: { $each: [2, 3] } } as never }, { a: [1, 2, 3] }],
    [
      '$push with $slice keeps the last',
      { a: [1, 2] },
      { $push: { a: { $each: [3, 4], $slice: -3 } } as never },
      { a: [2, 3, 4] },
    ],
    [
      '$push with $slice keeps the first, also of a missing field',
      {},
      { $push: { a: { $each: [3, 4], $slice: 1 } } as never },
      { a: [3] },
    ],
    ['$push with $slice 0 empties', { a: [1] }, { $push: { a: { $each: [2], $slice: 0 } } as never }, { a: [] }],
    [
      '$pull removes documents that match',
      { a: [{ x: 1, y: 1 }, { x: 1, y: 2 }, { x: 2 }] },
      { $pull: { a: { x: 1, y: { $gt: 1 } } } as never },
      { a: [{ x: 1, y: 1 }, { x: 2 }] },
    ],
    ['$pull leaves what is no document', { a: [1, { x: 1 }] }, { $pull: { a: { x: 1 } } as never }, { a: [1] }],
    ['$setOnInsert does nothing to a document that is there', { a: 1 }, { $setOnInsert: { a: 2 } }, { a: 1 }],
  ];
  for (const [name, before, update, after] of cases)
    it(name, async () => expect(await updated(before, update)).to.deep.equal(after));

  const failures: [string, TestDocument, UpdateFilter<TestDocument>, number][] = [
    ['$inc on a string', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$inc on null', { a: null }, { $inc: { a: 1 } }, 14],
    ['$inc by a string', { a: 1 }, { $inc: { a: '1' as never } }, 14],
    ['$push on a number', { a: 1 }, { $push: { a: 1 } as never }, 2],
    ['$set through a number', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
    ['changing _id', {}, { $set: { _id: 2 } }, 66],
    ['two operators on one field', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['two operators on a field and its part', {}, { $set: { a: {} }, $inc: { 'a.b': 1 } }, 40],
    ['an unknown operator', {}, { $frobnicate: { a: 1 } }, 9],
  ];
  for (const [name, before, update, code] of failures)
    it(`refuses ${name} with code ${code}, and changes nothing`, async () => {
      const collection = mongo.fresh();
      await collection.insertOne({ _id: 1, ...before });
      expect((await errorOf(collection.updateOne({ _id: 1 }, update))).code).to.equal(code);
      expect(await collection.findOne({ _id: 1 })).to.deep.equal({ _id: 1, ...before });
    });

  it('distinguishes matched from modified', async () => {
    const collection = mongo.fresh();
    await collection.insertMany([{ a: 1 }, { a: 1, b: 2 }]);
    const result = await collection.updateMany({ a: 1 }, { $set: { b: 2 } });
    expect(result).to.include({ matchedCount: 2, modifiedCount: 1, upsertedCount: 0 });
  });

  it('updates each match once, also when it moves along the index in use', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ n: 1 }, {}, {});
    await collection.insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    await collection.updateMany({ n: { $gte: 10 } }, { $inc: { n: 5 } });
    const values = valuesOf(await collection.find().sort({ n: 1 }).toArray(), 'n');
    expect(values).to.deep.equal(Array.from({ length: 50 }, (_, n) => (n < 10 ? n : n + 5)));
  });

  it('keeps indexes in step with updates', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ 'tags.name': 1 }, {}, {});
    await collection.insertOne({ _id: 1, tags: [{ name: 'a' }, { name: 'b' }] });
    await collection.updateOne({ _id: 1 }, { $set: { tags: [{ name: 'b' }, { name: 'c' }] } });
    expect(await collection.countDocuments({ 'tags.name': 'a' })).to.equal(0);
    expect(await collection.countDocuments({ 'tags.name': 'b' })).to.equal(1);
    expect(await collection.countDocuments({ 'tags.name': 'c' })).to.equal(1);
  });

  describe('upserts', () => {
    it('inserts the filter’s equalities, the update and $setOnInsert', async () => {
      const collection = mongo.fresh();
      const result = await collection.updateOne(
        { a: 1, 'b.c': 'x', e: { $gt: 5 }, $or: [{ f: 3 }] },
        { $set: { g: 4 }, $setOnInsert: { h: 5 }, $inc: { i: 6 } },
        { upsert: true },
      );
      expect(result).to.include({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1 });
      expect(result.upsertedId).to.be.instanceOf(ObjectId);
      const { _id, ...inserted } = (await collection.findOne()) ?? {};
      expect(_id).to.deep.equal(result.upsertedId);
      expect(inserted).to.deep.equal({ a: 1, b: { c: 'x' }, f: 3, g: 4, h: 5, i: 6 });
    });

    it('takes _id from the filter, or from $setOnInsert', async () => {
      const collection = mongo.fresh();
      await collection.updateOne({ _id: 'a' }, { $set: { x: 1 } }, { upsert: true });
      await collection.updateOne({ x: 2 }, { $setOnInsert: { _id: 'b' } }, { upsert: true });
      expect(await collection.find().sort({ _id: 1 }).toArray()).to.deep.equal([
        { _id: 'a', x: 1 },
        { _id: 'b', x: 2 },
      ]);
    });

    it('updates, and leaves $setOnInsert, when there is a match', async () => {
      const collection = mongo.fresh();
      for (let turn = 0; turn < 3; turn++)
        await collection.updateOne({ _id: 1 }, { $inc: { n: 1 }, $setOnInsert: { first: true } }, { upsert: true });
      expect(await collection.find().toArray()).to.deep.equal([{ _id: 1, n: 3, first: true }]);
    });

    it('makes one document of many concurrent upserts by _id', async () => {
      const collection = mongo.fresh();
      const upsert = (): Promise<unknown> => collection.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
      await Promise.all(Array.from({ length: 50 }, upsert));
      expect(await collection.find().toArray()).to.deep.equal([{ _id: 1, n: 50 }]);
    });
  });
});
