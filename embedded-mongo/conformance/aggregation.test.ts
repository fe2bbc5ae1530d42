import { expect } from 'chai';
import { useDatabase } from '../../testing/conformance-database.js';

describe('MongoDB: aggregation', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);
  let collection: ReturnType<typeof mongo.fresh>;

  before(async () => {
    collection = mongo.fresh();
    await collection.insertMany([
      { _id: 1, account: 'a', spent: 3, at: { day: 1 } },
      { _id: 2, account: 'b', spent: 4 },
      { _id: 3, account: 'a', spent: 5, at: { day: 2 } },
      { _id: 4, spent: 'much', at: { day: 2 } },
    ]);
  });

  const cases: [string, object[], unknown[]][] = [
    ['matches and limits', [{ $match: { spent: { $gt: 3 } } }, { $limit: 1 }], [{ _id: 2, account: 'b', spent: 4 }]],
    [
      'groups by a field, sums numbers and takes the first',
      [{ $group: { _id: '$account', total: { $sum: '$spent' }, n: { $sum: 1 }, first: { $first: '$at.day' } } }],
      [
        { _id: 'a', total: 8, n: 2, first: 1 },
        { _id: 'b', total: 4, n: 1, first: null },
        { _id: null, total: 0, n: 1, first: 2 },
      ],
    ],
    [
      'groups by a path within a document',
      [{ $group: { _id: { day: '$at.day' }, n: { $sum: 1 } } }],
      [
        { _id: { day: 1 }, n: 1 },
        { _id: {}, n: 1 },
        { _id: { day: 2 }, n: 2 },
      ],
    ],
    [
      'groups what it matched and limited',
      [
        { $match: { account: 'a' } },
        { $match: { spent: { $lt: 9 } } },
        { $limit: 1 },
        { $group: { _id: null, n: { $sum: 1 } } },
      ],
      [{ _id: null, n: 1 }],
    ],
    ['groups nothing as no document', [{ $match: { account: 'z' } }, { $group: { _id: 1, n: { $sum: 1 } } }], []],
  ];
  for (const [name, pipeline, expected] of cases)
    it(name, async () => expect(await collection.aggregate(pipeline).toArray()).to.have.deep.members(expected));

  it('counts documents with a filter and a limit', async () => {
    expect(await collection.countDocuments({ account: 'a' })).to.equal(2);
    expect(await collection.countDocuments({}, { limit: 3 })).to.equal(3);
    expect(await collection.countDocuments({ account: 'z' })).to.equal(0);
  });

  it('gives its results in batches', async () => {
    const many = mongo.fresh();
    await many.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })));
    const groups = await many.aggregate([{ $group: { _id: '$n' } }], { batchSize: 7 }).toArray();
    expect(new Set(groups.map(({ _id }) => Number(_id))).size).to.equal(500);
  });
});
