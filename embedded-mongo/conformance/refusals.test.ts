import { expect } from 'chai';
import { Decimal128, Long, MongoClient, Timestamp, type Document } from 'mongodb';
import { errorOf, useDatabase } from '../../testing/conformance-database.js';

/** Features of MongoDB that this server does not have. Each is refused, and the refusal names it. */
(process.env['MONGODB_URL'] === undefined ? describe : describe.skip)('the embedded MongoDB refuses', () => {
  const mongo = useDatabase(undefined);

  const NOT_SUPPORTED = 238;

  before(() => mongo.db.collection('c').createIndex({ a: 1 }, {}, {}));

  const commands: [Document, number, string][] = [
    [{ frobnicate: 1 }, 59, 'frobnicate'],
    [{ collMod: 'c' }, 59, 'collMod'],
    ...['count', 'distinct', 'create', 'drop', 'dropDatabase', 'listDatabases'].map(
      (name): [Document, number, string] => [{ [name]: 'c' }, 59, name],
    ),
    [{ mapReduce: 'c' }, 59, 'mapReduce'],
    [{ dropIndexes: 'c', index: '*' }, NOT_SUPPORTED, "'*'"],
    [{ ping: 1, nonsense: 1 }, 40415, 'nonsense'],
    [{ find: 'c', filter: {}, collation: { locale: 'en' } }, NOT_SUPPORTED, 'collation'],
    [{ find: 'c', tailable: true }, NOT_SUPPORTED, 'tailable'],
    [{ find: 'c', filter: {}, unheardOf: 1 }, 40415, 'unheardOf'],
    [{ find: 'c', hint: 'no_such_index' }, 2, 'hint'],
    [{ find: 'c', skip: 1 }, NOT_SUPPORTED, 'skip'],
    [{ find: 'c', maxTimeMS: 1 }, NOT_SUPPORTED, 'maxTimeMS'],
    [{ find: 'c', limit: -1 }, 2, 'limit'],
    [{ find: 'c', filter: 5 }, 14, 'filter'],
    [{ listCollections: 1, filter: { name: 'c' } }, NOT_SUPPORTED, 'filter'],
    [{ find: 'c', readConcern: { level: 'snapshot' } }, NOT_SUPPORTED, 'snapshot'],
    [
      { find: 'c', txnNumber: Long.fromNumber(1), autocommit: false, startTransaction: true },
      NOT_SUPPORTED,
      'transactions',
    ],
    [{ find: 'a$b' }, 73, 'a$b'],
    [{ insert: 'c', documents: [{}], writeConcern: { w: 3 } }, NOT_SUPPORTED, '"w":3'],
    [{ insert: 'c', documents: [] }, 2, 'documents'],
    [{ insert: 'c' }, 40414, 'documents'],
    [{ aggregate: 'c', pipeline: [{ $lookup: {} }], cursor: {} }, NOT_SUPPORTED, '$lookup'],
    ...['$sort', '$skip', '$project', '$count'].map((stage): [Document, number, string] => [
      { aggregate: 'c', pipeline: [{ $match: {} }, { [stage]: 1 }], cursor: {} },
      NOT_SUPPORTED,
      stage,
    ]),
    [{ aggregate: 'c', pipeline: [{ $group: { _id: 1 } }, { $match: {} }], cursor: {} }, NOT_SUPPORTED, '$match'],
    ...['$avg', '$min', '$max', '$last', '$push', '$count', '$addToSet'].map((name): [Document, number, string] => [
      { aggregate: 'c', pipeline: [{ $group: { _id: 1, a: { [name]: '$a' } } }], cursor: {} },
      NOT_SUPPORTED,
      name,
    ]),
    [{ aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} }, NOT_SUPPORTED, '$changeStream'],
    [{ aggregate: 'c', pipeline: [{ $group: { _id: { $add: [1, 2] } } }], cursor: {} }, NOT_SUPPORTED, '$add'],
    [
      { aggregate: 'c', pipeline: [{ $group: { _id: 1, a: { $stdDevPop: 1 } } }], cursor: {} },
      NOT_SUPPORTED,
      '$stdDevPop',
    ],
    [{ aggregate: 'c', pipeline: [] }, 40414, 'cursor'],
    [{ createIndexes: 'c', indexes: [{ key: { a: 'text' }, name: 'a' }] }, NOT_SUPPORTED, 'text'],
    [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', collation: {} }] }, NOT_SUPPORTED, 'collation'],
    [
      { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', partialFilterExpression: { b: { $gt: 1 } } }] },
      NOT_SUPPORTED,
      'gt',
    ],
    [{ createIndexes: 'c', indexes: [{ key: { a: 1, b: 1 }, name: 'a', expireAfterSeconds: 1 }] }, 67, 'one field'],
  ];
  for (const [command, code, named] of commands)
    it(JSON.stringify(command), async () => {
      const error = await errorOf(mongo.db.command(command));
      expect(error.message).to.contain(named);
      expect(error.code).to.equal(code);
    });

  const filters: [Document, number, string][] = [
    [{ $expr: { $eq: [1, 1] } }, NOT_SUPPORTED, '$expr'],
    [{ $where: 'true' }, NOT_SUPPORTED, '$where'],
    [{ $text: { $search: 'x' } }, NOT_SUPPORTED, '$text'],
    [{ a: { $mod: [2, 0] } }, NOT_SUPPORTED, '$mod'],
    [{ a: { $frob: 1 } }, 2, '$frob'],
    [{ a: { $gt: 1, b: 2 } }, 2, 'b'],
    [{ $frob: [] }, 2, '$frob'],
    [{ $or: [] }, 2, '$or'],
    [{ a: { $in: 5 } }, 2, '$in'],
    [{ $nor: [{ a: 1 }] }, NOT_SUPPORTED, '$nor'],
    [{ $comment: 'x' }, NOT_SUPPORTED, '$comment'],
    [{ a: { $nin: [1] } }, NOT_SUPPORTED, '$nin'],
    [{ a: { $not: { $gt: 1 } } }, NOT_SUPPORTED, '$not'],
    [{ a: { $type: 'string' } }, NOT_SUPPORTED, '$type'],
    [{ a: { $size: 1 } }, NOT_SUPPORTED, '$size'],
    [{ a: { $all: [1] } }, NOT_SUPPORTED, '$all'],
    [{ a: { $elemMatch: { b: 1 } } }, NOT_SUPPORTED, '$elemMatch'],
    [{ a: { $regex: 'a' } }, NOT_SUPPORTED, '$regex'],
    [{ a: /a/ }, NOT_SUPPORTED, 'BSONRegExp'],
    [{ a: { $in: [/a/] } }, NOT_SUPPORTED, 'BSONRegExp'],
    [{ a: Decimal128.fromString('1') }, NOT_SUPPORTED, 'Decimal128'],
    [{ a: Long.MAX_VALUE }, NOT_SUPPORTED, 'Long'],
    [{ 'a..b': 1 }, 56, 'a..b'],
  ];
  for (const [filter, code, named] of filters)
    it(`the filter ${JSON.stringify(filter)}`, async () => {
      const error = await errorOf(mongo.fresh().find(filter).toArray());
      expect(error.message).to.contain(named);
      expect(error.code).to.equal(code);
    });

  const updates: [Document, number, string][] = [
    [{ $set: { 'a.$': 1 } }, NOT_SUPPORTED, '$'],
    [{ $set: { 'a.$[]': 1 } }, NOT_SUPPORTED, '$[]'],
    [{ $rename: { a: 'b' } }, NOT_SUPPORTED, '$rename'],
    [{ $push: { a: { $each: [1], $frob: 1 } } }, 2, '$frob'],
    [{ $mul: { a: 2 } }, NOT_SUPPORTED, '$mul'],
    [{ $min: { a: 2 } }, NOT_SUPPORTED, '$min'],
    [{ $max: { a: 9 } }, NOT_SUPPORTED, '$max'],
    [{ $currentDate: { a: true } }, NOT_SUPPORTED, '$currentDate'],
    [{ $addToSet: { b: 1 } }, NOT_SUPPORTED, '$addToSet'],
    [{ $pullAll: { b: [1] } }, NOT_SUPPORTED, '$pullAll'],
    [{ $pop: { b: 1 } }, NOT_SUPPORTED, '$pop'],
    [{ $pull: { b: 1 } }, NOT_SUPPORTED, '$pull'],
    [{ $pull: { b: { $gt: 1 } } }, NOT_SUPPORTED, '$gt'],
    [{ $push: { b: { $each: [1], $position: 0 } } }, NOT_SUPPORTED, '$position'],
    [{ $push: { b: { $each: [1], $sort: 1 } } }, NOT_SUPPORTED, '$sort'],
    [{ $set: { a: Decimal128.fromString('1') } }, NOT_SUPPORTED, 'Decimal128'],
    [{ $set: { a: { $b: 1 } } }, 52, '$b'],
    [{ $inc: { a: 2 ** 53 - 1 } }, 2, 'exact integers'],
  ];
  for (const [update, code, named] of updates)
    it(`the update ${JSON.stringify(update)}`, async () => {
      const collection = mongo.fresh();
      await collection.insertOne({ _id: 1, a: 5 });
      const error = await errorOf(collection.updateOne({ _id: 1 }, update));
      expect(error.message).to.contain(named);
      expect(error.code).to.equal(code);
      expect(await collection.findOne()).to.deep.equal({ _id: 1, a: 5 });
    });

  it('updates by a pipeline or a replacement, array filters and collations', async () => {
    const collection = mongo.fresh();
    expect((await errorOf(collection.updateOne({}, [{ $set: { a: 1 } }]))).message).to.contain('pipeline');
    expect((await errorOf(collection.replaceOne({}, { a: 1 }))).message).to.contain('replacement');
    const filtered = collection.updateOne({}, { $set: { a: 1 } }, { arrayFilters: [{ x: 1 }] });
    expect((await errorOf(filtered)).message).to.contain('arrayFilters');
    const collated = collection.updateOne({}, { $set: { a: 1 } }, { collation: { locale: 'en' } });
    expect((await errorOf(collated)).message).to.contain('collation');
  });

  it('values of types outside the portable subset', async () => {
    const collection = mongo.fresh();
    for (const value of [Decimal128.fromString('1'), Long.MAX_VALUE, new Timestamp({ t: 1, i: 1 }), /x/])
      expect((await errorOf(collection.insertOne({ value }))).code).to.equal(NOT_SUPPORTED);
    expect(await collection.countDocuments()).to.equal(0);
  });

  it('transactions', async () => {
    const session = mongo.client.startSession();
    const collection = mongo.fresh();
    const error = await errorOf(session.withTransaction(() => collection.insertOne({ a: 1 }, { session })));
    expect(error).to.have.property('code', NOT_SUPPORTED);
    expect(error.message).to.contain('transactions');
    await session.endSession();
    expect(await collection.countDocuments()).to.equal(0);
  });

  it('writes without acknowledgement, by closing the connection', async () => {
    const client = await MongoClient.connect(mongo.url);
    const collection = client.db('refusals').collection('w0');
    await collection.insertOne({ a: 1 }, { writeConcern: { w: 0 } });
    expect(await mongo.client.db('refusals').collection('w0').countDocuments()).to.equal(0);
    await client.close();
  });

  it('projections that are computed, dotted, or without _id', async () => {
    const collection = mongo.fresh();
    for (const projection of [{ a: { $slice: 1 } }, { a: '$b' }, { 'a.$': 1 }, { 'a.b': 1 }, { _id: 0 }])
      expect((await errorOf(collection.find({}, { projection }).toArray())).code).to.equal(NOT_SUPPORTED);
    expect((await errorOf(collection.find({}, { projection: { a: 1, b: 0 } }).toArray())).code).to.equal(2);
  });

  it('two arrays in one compound index', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1, b: 1 }, {}, {});
    expect((await errorOf(collection.insertOne({ a: [1, 2], b: [3, 4] }))).code).to.equal(171);
  });

  it('values too long for an index', async () => {
    const collection = mongo.fresh();
    await collection.createIndex({ a: 1 }, {}, {});
    expect((await errorOf(collection.insertOne({ a: 'x'.repeat(2_000) }))).code).to.equal(17280);
    await collection.insertOne({ b: 'x'.repeat(2_000) });
  });
});
