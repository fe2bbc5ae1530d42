import { mkdtemp, rm } from 'node:fs/promises';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EJSON } from 'bson';
import type { Collection, Db, Document } from 'mongodb';
import { type QueryCost, queries } from '../../embedded-mongo/query/query.js';
import { type RunningServer, runServer } from '../../embedded-mongo/server.js';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';

/** A call of one method of a store. Its queries must find some of the documents: those that find nothing prove nothing. */
type Call<Store> = (store: Store) => unknown;

/** A call that may examine more than twice the documents that it returns. */
interface BoundedCall<Store> {
  call: Call<Store>;
  /** It still examines at most this many. */
  mostExamined: number;
  /** Why no index confines it further. */
  reason: string;
}

/** Calls of each method: a new method of a store does not compile until it is here. */
export type StoreCalls<Store> = { [Method in keyof Store]: readonly (Call<Store> | BoundedCall<Store>)[] };

export function bounded<Store>(reason: string, mostExamined: number, call: Call<Store>): BoundedCall<Store> {
  return { call, mostExamined, reason };
}

/** Calls of a method that has no query, such as one that only inserts. */
export const NO_QUERY = [] as const;

export interface StoreUnderTest<Store> {
  name: string;
  collection: string;
  documents: readonly Document[];
  open: (database: Db) => Store;
  /** Makes the indexes of the collection. Absent: it has none. */
  createIndexes?: (database: Db) => Promise<void>;
  calls: StoreCalls<Store>;
}

/** Examined documents beyond twice the returned ones that are allowed: a guard that does not match, one read ahead. */
const ALLOWANCE = 2;

/** Declares one test for each method of the store. The collection has the documents, by their ids, before each call. */
export function describeQueries<Store>({
  name,
  collection,
  documents,
  open,
  createIndexes,
  calls,
}: StoreUnderTest<Store>): void {
  describe(`the queries of ${name}`, () => {
    let directory: string;
    let server: RunningServer;
    let connection: MongoConnection;
    let store: Store;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'queries-'));
      // In this thread, and so always the embedded database: it publishes the cost of each query where it runs.
      server = await runServer({ directory, clock: systemClock, log: silentLog });
      connection = await connectMongo({ url: server.url, log: silentLog });
      store = open(connection.database);
      await createIndexes?.(connection.database);
    });
    after(async () => {
      await connection.close();
      await server.close();
      await rm(directory, { recursive: true });
    });

    for (const method of Object.keys(calls) as (keyof Store & string)[]) {
      for (const [at, entry] of calls[method].entries()) {
        const { call, mostExamined, reason } =
          typeof entry === 'function' ? { call: entry, mostExamined: undefined, reason: '' } : entry;
        const limit = mostExamined === undefined ? 'few more documents than they return' : `at most ${mostExamined}`;
        it(`examine ${limit}: ${method}, call ${at + 1}${reason && ` (${reason})`}`, async () => {
          await refill(connection.database.collection(collection), documents);
          const costs = await costsOf(`cloudphone.${collection}`, () => call(store));
          const shown = JSON.stringify(costs);
          expect(
            costs.some(({ returned }) => returned > 0),
            `finds something: ${shown}`,
          ).to.equal(true);
          for (const { examined, returned } of costs) {
            expect(examined, shown).to.be.at.most(mostExamined ?? 2 * returned + ALLOWANCE);
          }
        });
      }
    }
  });
}

/** Most calls change nothing, and then there is nothing to do. */
async function refill(collection: Collection, documents: readonly Document[]): Promise<void> {
  const there = await collection.find().sort({ _id: 1 }).toArray();
  if (EJSON.stringify(there) === EJSON.stringify(documents)) return;
  await collection.deleteMany({});
  await collection.insertMany(documents.map((document) => ({ ...document })));
}

async function costsOf(namespace: string, run: () => unknown): Promise<QueryCost[]> {
  const costs: QueryCost[] = [];
  const note = (message: unknown): void => {
    const cost = message as QueryCost;
    if (cost.namespace === namespace) costs.push(cost);
  };
  subscribe(queries.name, note);
  try {
    const result = await run();
    if (isIterable(result)) await drain(result);
  } finally {
    unsubscribe(queries.name, note);
  }
  return costs;
}

async function drain(found: AsyncIterable<unknown>): Promise<void> {
  const iterator = found[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
