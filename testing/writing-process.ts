import { MongoClient } from 'mongodb';
import { silentLog } from '../kit/log/log.js';
import { startEmbeddedMongo } from '../embedded-mongo/embedded-mongo.js';

/** A message to the parent about one write. It is sent only after the server has acknowledged that write. */
export type Acknowledged =
  | { readonly kind: 'inserted'; readonly n: number }
  | { readonly kind: 'counted'; readonly counter: string; readonly value: number };

/** Writes to an embedded server in a folder as fast as it can until it is killed. For durability.test.ts. */
const [directory = ''] = process.argv.slice(2);
const server = await startEmbeddedMongo({ directory, log: silentLog });
const client = await MongoClient.connect(server.url);
const writes = client.db('kill').collection('writes');
const counters = client.db('kill').collection<{ _id: string; value: number }>('counters');
await writes.createIndex({ group: 1 }, {}, {});
const [last] = await writes.find().sort({ n: -1 }).limit(1).toArray();
let next = Number(last?.['n'] ?? 0) + 1;

const report = (message: Acknowledged): void => void process.send?.(message);

await Promise.all([
  ...Array.from({ length: 10 }, async () => {
    for (;;) {
      const n = next++;
      await writes.insertOne({ n, group: n % 7, text: 'x'.repeat(n % 500) });
      report({ kind: 'inserted', n });
    }
  }),
  ...['a', 'b', 'c'].map(async (counter) => {
    for (;;) {
      const after = await counters.findOneAndUpdate(
        { _id: counter },
        { $inc: { value: 1 } },
        { upsert: true, returnDocument: 'after' },
      );
      report({ kind: 'counted', counter, value: after?.value ?? 0 });
    }
  }),
]);
