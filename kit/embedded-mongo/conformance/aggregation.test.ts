import { expect } from 'chai';
import { useDatabase } from './database.js';

describe('MongoDB: aggregation', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);
  let collection: ReturnType<typeof mongo.fresh>;

  before(async () => {
    collection = mongo.fresh();
    await collection.insertMany([
      { _id: 1, account: 'a', spent: 3, tags: ['x'], at: { day: 1 } },
      { _id: 2, account: 'b', spent: 4, tags: ['x', 'y'], at: { day: 1 } },
      { _id: 3, account: 'a', spent: 5, at: { day: 2 } },
      { _id: 4, spent: 'much', at: { day: 2 } },
    ]);
  });

  const cases: [string, object[], unknown[]][] = [
    [
      'matches, sorts, skips and limits',
      [{ $match: { _id: { $gt: 1 } } }, { $sort: { _id: -1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { _id: 1 } }],
      [{ _id: 3 }],
    ],
    [
      'limits before it sorts',
      [{ $limit: 2 }, { $sort: { _id: -1 } }, { $project: { _id: 1 } }],
      [{ _id: 2 }, { _id: 1 }],
    ],
    [
      'groups by a field',
      [
        {
          $group: {
            _id: '$account',
            total: { $sum: '$spent' },
            n: { $sum: 1 },
            most: { $max: '$spent' },
            least: { $min: '$spent' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: null, total: 0, n: 1, most: 'much', least: 'much' },
        { _id: 'a', total: 8, n: 2, most: 5, least: 3 },
        { _id: 'b', total: 4, n: 1, most: 4, least: 4 },
      ],
    ],
    [
      'groups by a path within a document',
      [
        {
          $group: { _id: { day: '$at.day' }, first: { $first: '$_id' }, all: { $push: '$account' }, n: { $count: {} } },
        },
        { $sort: { '_id.day': 1 } },
      ],
      [
        { _id: { day: 1 }, first: 1, all: ['a', 'b'], n: 2 },
        { _id: { day: 2 }, first: 3, all: ['a'], n: 2 },
      ],
    ],
    ['groups everything', [{ $group: { _id: null, mean: { $avg: '$spent' } } }], [{ _id: null, mean: 4 }]],
    ['counts', [{ $match: { account: 'a' } }, { $count: 'n' }], [{ n: 2 }]],
    ['counts nothing as no document', [{ $match: { account: 'z' } }, { $count: 'n' }], []],
    [
      'matches what was grouped',
      [{ $group: { _id: '$account', n: { $sum: 1 } } }, { $match: { n: 2 } }],
      [{ _id: 'a', n: 2 }],
    ],
  ];
  for (const [name, pipeline, expected] of cases)
    it(name, async () => expect(await collection.aggregate(pipeline).toArray()).to.deep.equal(expected));

  it('counts documents with a filter, a skip and a limit', async () => {
    expect(await collection.countDocuments({ account: 'a' })).to.equal(2);
    expect(await collection.countDocuments({}, { skip: 1, limit: 2 })).to.equal(2);
    expect(await collection.estimatedDocumentCount()).to.equal(4);
  });

  it('gives its results in batches', async () => {
    const many = mongo.fresh();
    await many.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })));
    const groups = await many.aggregate([{ $group: { _id: '$n' } }], { batchSize: 7 }).toArray();
    expect(new Set(groups.map(({ _id }) => Number(_id))).size).to.equal(500);
  });
});
