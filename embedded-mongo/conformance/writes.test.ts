import { expect } from 'chai';
import { Binary, Double, Long, MongoBulkWriteError, MongoServerError, ObjectId } from 'mongodb';
import { errorOf, useDatabase } from '../../testing/conformance-database.js';

describe('MongoDB: inserts and deletes', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  it('gives back inserted documents, with types and the order of fields', async () => {
    const collection = mongo.fresh();
    const document = {
      _id: 'a',
      z: 1,
      a: 1.5,
      big: 2 ** 40,
      negativeZero: -0,
      text: 'grüße 👋 \u0000 zero',
      yes: true,
      nothing: null,
      when: new Date(1_700_000_000_123),
      id: new ObjectId(),
      bytes: new Binary(Buffer.from([0, 1, 255])),
      list: [1, 'two', [3], { four: 4 }],
      nested: { b: 1, a: { c: [] } },
    };
    await collection.insertOne(document);
    const found = await collection.findOne({ _id: 'a' });
    expect(found).to.deep.equal(document);
    expect(Object.keys(found ?? {})).to.deep.equal(Object.keys(document));
  });

  it('keeps integers, doubles and 64-bit integers in the safe range as numbers', async () => {
    const collection = mongo.fresh();
    await collection.insertOne({
      _id: 1,
      double: new Double(3),
      long: Long.fromNumber(2 ** 33),
      nan: NaN,
      inf: -Infinity,
    });
    const found = await collection.findOne({ _id: 1 });
    expect(found).to.deep.equal({ _id: 1, double: 3, long: 2 ** 33, nan: NaN, inf: -Infinity });
  });

  it('puts _id first and makes one when there is none', async () => {
    const collection = mongo.fresh();
    await mongo.db.command({ insert: collection.collectionName, documents: [{ a: 1 }, { b: 1, _id: 7 }] });
    const found = await collection.find().sort({ a: -1 }).toArray();
    expect(found[0]?._id).to.be.instanceOf(ObjectId);
    expect(Object.keys(found[1] ?? {})).to.deep.equal(['_id', 'b']);
  });

  it('refuses a second document with the same _id as 11000', async () => {
    const collection = mongo.fresh();
    await collection.insertOne({ _id: 1 });
    const error = await errorOf(collection.insertOne({ _id: 1.0 }));
    expect(error).to.be.instanceOf(MongoServerError);
    expect(error.code).to.equal(11000);
    expect(error.keyPattern).to.deep.equal({ _id: 1 });
    expect(error.keyValue).to.deep.equal({ _id: 1 });
  });

  it('refuses a second value in a unique index as 11000, naming key and value', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ account: 1, name: 1 }, { unique: true }, {});
    await collection.insertOne({ account: 'a', name: 'x' });
    await collection.insertOne({ account: 'b', name: 'x' });
    const error = await errorOf(collection.insertOne({ account: 'a', name: 'x' }));
    expect(error.code).to.equal(11000);
    expect(error.keyPattern).to.deep.equal({ account: 1, name: 1 });
    expect(error.keyValue).to.deep.equal({ account: 'a', name: 'x' });
    expect(error.message).to.contain('E11000').and.to.contain('account_1_name_1');
  });

  it('counts a missing field as null in a unique index, unless it is sparse', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, { unique: true }, {});
    await collection.createIndex({ b: 1 }, { unique: true, sparse: true }, {});
    await collection.insertOne({ a: 1 });
    await collection.insertOne({ a: null });
    expect((await errorOf(collection.insertOne({}))).code).to.equal(11000);
  });

  it('holds a unique index over the elements of arrays', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ tags: 1 }, { unique: true }, {});
    await collection.insertOne({ tags: ['a', 'b', 'a'] });
    expect((await errorOf(collection.insertOne({ tags: ['c', 'b'] }))).code).to.equal(11000);
    await collection.insertOne({ tags: ['c'] });
  });

  it('refuses an update that would break a unique index, and changes nothing', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, { unique: true }, {});
    await collection.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect((await errorOf(collection.updateOne({ _id: 2 }, { $set: { a: 1, b: 1 } }))).code).to.equal(11000);
    expect(await collection.findOne({ _id: 2 })).to.deep.equal({ _id: 2, a: 2 });
    await collection.updateOne({ _id: 1 }, { $set: { a: 3 } });
    await collection.updateOne({ _id: 2 }, { $set: { a: 1 } });
  });

  it('refuses to build a unique index over duplicates, and does not make it', async () => {
    const collection = mongo.fresh();
    await collection.insertMany([{ a: 1 }, { a: 1 }]);
    expect((await errorOf(collection.createIndex({ a: 1 }, { unique: true }, {}))).code).to.equal(11000);
    expect(await collection.indexes()).to.have.length(1);
  });

  it('lets exactly one of many concurrent inserts of one value through', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ name: 1 }, { unique: true }, {});
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => collection.insertOne({ name: 'taken' })));
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await collection.countDocuments({ name: 'taken' })).to.equal(1);
  });

  it('goes on after an error when unordered, and stops there when ordered', async () => {
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }];
    const unordered = mongo.fresh();
    const error = await errorOf(unordered.insertMany(documents, { ordered: false }));
    expect(error).to.be.instanceOf(MongoBulkWriteError);
    expect(error.writeErrors?.map(({ index, code }) => [index, code])).to.deep.equal([
      [1, 11000],
      [3, 11000],
    ]);
    expect(error.insertedCount).to.equal(3);
    expect(await unordered.countDocuments()).to.equal(3);

    const ordered = mongo.fresh();
    await errorOf(ordered.insertMany(documents, { ordered: true }));
    expect(await ordered.countDocuments()).to.equal(1);
  });

  it('runs a mixed bulk', async () => {
    const collection = mongo.fresh();
    const result = await collection.bulkWrite([
      { insertOne: { document: { _id: 1, a: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { a: 1 } } } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { a: 5 } }, upsert: true } },
      { updateOne: { filter: { _id: 2 }, update: { $set: { b: 1 }, $unset: { a: '' } } } },
      { deleteOne: { filter: { _id: 1 } } },
    ]);
    expect(result.insertedCount).to.equal(1);
    expect(result.upsertedIds).to.deep.equal({ 2: 2 });
    expect(result.deletedCount).to.equal(1);
    expect(await collection.find().toArray()).to.deep.equal([{ _id: 2, b: 1 }]);
  });

  it('deletes one or all that match', async () => {
    const collection = mongo.fresh();
    await collection.insertMany([{ a: 1 }, { a: 1 }, { a: 1 }, { a: 2 }]);
    expect((await collection.deleteOne({ a: 1 })).deletedCount).to.equal(1);
    expect((await collection.deleteMany({ a: 1 })).deletedCount).to.equal(2);
    expect((await collection.deleteMany({ a: 1 })).deletedCount).to.equal(0);
    expect(await collection.countDocuments()).to.equal(1);
  });

  it('takes a document of nearly 16 MiB and refuses a larger one', async function () {
    const collection = mongo.fresh();
    const nearly = 'x'.repeat(16 * 1024 * 1024 - 100);
    await collection.insertOne({ _id: 1, nearly });
    expect((await collection.findOne({ _id: 1 }))?.['nearly']).to.have.length(nearly.length);
    await errorOf(collection.insertOne({ _id: 2, nearly: `${nearly}${'x'.repeat(200)}` }));
    await errorOf(collection.updateOne({ _id: 1 }, { $set: { more: 'x'.repeat(1_000_000) } }));
    expect(await collection.countDocuments()).to.equal(1);
  });

  it('acknowledges with w: majority', async () => {
    const collection = mongo.fresh();
    const result = await collection.insertOne({ a: 1 }, { writeConcern: { w: 'majority' } });
    expect(result.acknowledged).to.equal(true);
  });
});
