import { expect } from 'chai';
import { errorOf, useDatabase } from '../../testing/conformance-database.js';
import { putIndexes } from './put-indexes.js';

describe('the indexes of a collection with older ones', () => {
  const mongo = useDatabase(process.env['MONGODB_URL']);

  /** Returns each index as one line. */
  const defined = async (collection: ReturnType<typeof mongo.fresh>): Promise<string[]> =>
    (await collection.indexes())
      .map(({ v: _version, name, ...rest }) => `${name ?? ''} ${JSON.stringify(rest)}`)
      .filter((line) => !line.startsWith('_id_'))
      .sort();

  for (const [what, older, newer] of [
    ['other fields', { key: { a: 1 }, name: 'one' }, { key: { a: 1, b: 1 }, name: 'one' }],
    ['other options', { key: { a: 1 }, name: 'one', unique: true }, { key: { a: 1 }, name: 'one', sparse: true }],
    ['another order', { key: { a: 1, b: 1 }, name: 'one' }, { key: { b: 1, a: 1 }, name: 'one' }],
    [
      'another filter',
      { key: { a: 1 }, name: 'one', partialFilterExpression: { b: 1 } },
      { key: { a: 1 }, name: 'one', partialFilterExpression: { b: 2 } },
    ],
    ['another name', { key: { a: 1 }, name: 'older' }, { key: { a: 1 }, name: 'one' }],
  ] as const) {
    it(`replaces one with ${what}, and keeps the others`, async () => {
      const collection = mongo.fresh();
      await collection.insertMany(Array.from({ length: 100 }, (_, at) => ({ _id: at, a: at, b: at % 3 })));
      const kept = { key: { a: -1 as const }, name: 'kept' };
      await collection.createIndexes([{ ...older, key: { ...older.key } }, kept]);
      const wanted = { ...newer, key: { ...newer.key } };
      for (let times = 0; times < 2; times++) await putIndexes(collection, [wanted, { key: { b: -1 }, name: 'new' }]);
      const { key, name, ...options } = wanted;
      expect(await defined(collection)).to.have.members([
        `kept {"key":{"a":-1}}`,
        `new {"key":{"b":-1}}`,
        `${name} ${JSON.stringify({ key, ...options })}`,
      ]);
      const hinted = 'partialFilterExpression' in wanted ? { a: 5, b: 2 } : { a: 5, b: { $gte: 0 } };
      expect(await collection.find(hinted).hint('one').toArray()).to.have.length(1);
    });
  }

  it('leaves one with the same fields and a filter beside one without', async () => {
    const collection = mongo.fresh();
    const both = [
      { key: { a: 1 as const }, name: 'all' },
      { key: { a: 1 as const }, name: 'some', partialFilterExpression: { b: 1 } },
      { key: { c: 1 as const }, name: 'more' },
    ];
    await collection.createIndexes([...both.slice(0, 2), { key: { d: 1 }, name: 'more' }]);
    await putIndexes(collection, both);
    expect((await defined(collection)).map((line) => line.split(' ')[0])).to.deep.equal(['all', 'more', 'some']);
  });

  it('reports an error of another kind as it is', async () => {
    const collection = mongo.fresh();
    await collection.insertMany([{ a: 1 }, { a: 1 }]);
    const error = await errorOf(putIndexes(collection, [{ key: { a: 1 }, name: 'one', unique: true }]));
    expect(error.code).to.equal(11000);
  });
});
