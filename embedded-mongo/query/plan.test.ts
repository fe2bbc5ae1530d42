import { expect } from 'chai';
import type { Collection, Index } from '../store/catalog.js';
import type { BsonDocument } from '../values/document.js';
import { parseFilter } from '../filter/filter.js';
import { planQuery, type Plan } from './plan.js';
import { parseSort } from './sort.js';

function index(name: string, key: Record<string, 1 | -1>, options: Partial<Index> = {}, multikey = false): Index {
  const fields = Object.entries(key).map(([field, direction]) => ({
    name: field,
    path: field.split('.'),
    direction,
    multikey,
  }));
  return { id: 10, name, fields, unique: false, sparse: false, ...options };
}

const COLLECTION: Collection = {
  id: 1,
  namespace: 'a.b',
  indexes: [
    index('state', { state: 1 }),
    index('state_at', { state: 1, at: -1 }),
    index('key', { key: 1 }, { unique: true }),
    index('sparse', { owner: 1 }, { sparse: true }),
    index('partial', { lease: 1 }, { partialFilter: { live: true, job: { $exists: true } } }),
    index('partial_state', { state: 1 }, { partialFilter: { live: true, job: { $exists: true } } }),
    index('tags', { tags: 1 }, {}, true),
    index('size', { size: 1 }),
  ],
};

function plan(filter: BsonDocument, sort?: BsonDocument): Plan {
  return planQuery(COLLECTION, parseFilter(filter), parseSort(sort));
}

/** The index that was chosen, how many stretches of it, and how it is walked. */
function shown(filter: BsonDocument, sort?: BsonDocument): string {
  const { index: chosen, intervals, reverse, sorted, repeats } = plan(filter, sort);
  const words = [chosen?.name ?? '_id_', intervals.length, reverse ? 'reverse' : '', sorted ? '' : 'sort'];
  return [...words, repeats ? 'repeats' : ''].filter((word) => word !== '').join(' ');
}

describe('planQuery', () => {
  const cases: [string, BsonDocument, BsonDocument | undefined, string][] = [
    ['walks everything without a filter', {}, undefined, '_id_ 1'],
    ['walks everything for a field without an index', { other: 1 }, undefined, '_id_ 1'],
    ['goes straight to an _id', { _id: 5, state: 'x' }, undefined, '_id_ 1'],
    ['goes to each _id of several', { _id: { $in: [5, 6, 5] } }, undefined, '_id_ 2'],
    ['prefers a unique value', { key: 5, state: 'x' }, undefined, 'key 1'],
    ['prefers more fields held', { state: 'x', at: 5 }, undefined, 'state_at 1'],
    ['adds a range after what is held', { state: 'x', at: { $gt: 1, $lt: 5 } }, undefined, 'state_at 1'],
    ['takes an order from the index', { state: 'x' }, { at: -1 }, 'state_at 1'],
    ['takes the opposite order by walking back', { state: 'x' }, { at: 1 }, 'state_at 1 reverse'],
    ['sorts when several values come before the order', { state: { $in: ['x', 'y'] } }, { at: 1 }, 'state 2 sort'],
    ['walks an index for its order alone', {}, { size: -1 }, 'size 1 reverse'],
    ['walks _id for its order', {}, { _id: -1 }, '_id_ 1 reverse'],
    ['does not look below $or', { $or: [{ size: 1 }, { key: 1 }] }, undefined, '_id_ 1'],
    ['finds nothing between bounds that cross', { size: { $gt: 5, $lt: 1 } }, undefined, 'size 0'],
    ['uses a sparse index for a value', { owner: 'a' }, undefined, 'sparse 1'],
    ['does not use a sparse index for what is not null', { owner: { $ne: null } }, undefined, '_id_ 1'],
    ['walks a sparse index for whatever is there', { owner: { $exists: true } }, undefined, 'sparse 1'],
    ['does not use a sparse index for null', { owner: null }, undefined, '_id_ 1'],
    ['does not use a sparse index for an order', {}, { owner: 1 }, '_id_ 1 sort'],
    ['uses a partial index when the query implies it', { live: true, job: 'j', lease: 5 }, undefined, 'partial 1'],
    ['walks a partial index rather than everything', { live: true, job: 'j' }, undefined, 'partial 1'],
    ['prefers an order to a partial index', { live: true, job: 'j' }, { size: 1 }, 'size 1'],
    ['prefers a partial index to a whole one', { live: true, job: 'j', state: 'x' }, undefined, 'partial_state 1'],
    ['does not use a partial index otherwise', { live: true, lease: 5 }, undefined, '_id_ 1'],
    ['expects repeats where there are arrays', { tags: { $gt: 'a', $lt: 'b' } }, undefined, 'tags 1 repeats'],
    ['does not take an order from arrays', {}, { tags: 1 }, '_id_ 1 sort'],
    ['does not use an index for an array as a whole', { size: [1, 2] }, undefined, '_id_ 1'],
  ];
  for (const [name, filter, sort, expected] of cases) it(name, () => expect(shown(filter, sort)).to.equal(expected));

  it('uses only one bound where there are arrays, since two elements may meet two', () => {
    const [both] = plan({ tags: { $gt: 'a', $lt: 'b' } }).intervals;
    const [one] = plan({ tags: { $gt: 'a' } }).intervals;
    expect(both).to.deep.equal(one);
  });
});
