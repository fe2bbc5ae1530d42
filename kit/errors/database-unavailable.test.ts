import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Collection, MongoClient, MongoError, MongoServerError } from 'mongodb';
import { databaseUnavailable } from './database-unavailable.js';

describe('errors of the database driver', () => {
  type Work = (collection: Collection) => Promise<unknown>;
  const failureOf = async (url: string, work: Work = (collection) => collection.findOne({})): Promise<unknown> => {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: 200 });
    try {
      return await work(client.db('x').collection('y'));
    } catch (error) {
      return error;
    } finally {
      await client.close();
    }
  };

  it('of a server that is not there or hangs up are unavailable', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const hungUp = await failureOf(`mongodb://127.0.0.1:${port}`);
    server.close();
    await once(server, 'close');
    for (const failure of [hungUp, await failureOf(`mongodb://127.0.0.1:${port}`)]) {
      expect(failure).to.be.instanceOf(MongoError);
      const error = databaseUnavailable(failure);
      expect(error).to.include({ kind: 'unavailable', retryAfterS: 5, cause: failure });
      // Addresses are for the log.
      expect(error?.message).not.to.contain(String(port));
    }
  });

  it('of one that goes away in the middle are unavailable, for several documents too', async () => {
    const works: Work[] = [
      (collection) => collection.insertMany([{ a: 1 }, { a: 2 }]),
      (collection) => collection.bulkWrite([{ deleteOne: { filter: { a: 1 } } }]),
      (collection) => collection.updateMany({}, { $set: { a: 1 } }),
    ];
    for (const work of works) {
      const failure = await failureOf('mongodb://127.0.0.1:1', work);
      expect(databaseUnavailable(failure), String(failure)).to.include({ kind: 'unavailable', cause: failure });
    }
    // The pool of an operation was cleared under it, as its server did not respond to the driver's own check in time.
    const underIt = Object.assign(new Error('interrupted'), { name: 'PoolClearedOnNetworkError' });
    expect(databaseUnavailable(underIt)).to.include({ kind: 'unavailable' });
  });

  it('of a server that changes its primary are unavailable', () => {
    const failure = new MongoServerError({ message: 'not primary', code: 10107 });
    failure.addErrorLabel('RetryableWriteError');
    expect(databaseUnavailable(failure)).to.include({ kind: 'unavailable' });
  });

  it('of other kinds are not', () => {
    for (const failure of [
      new MongoServerError({ message: 'E11000', code: 11000 }),
      Object.assign(new Error('x'), { code: 14031 }),
      undefined,
      'MongoNetworkError',
    ]) {
      expect(databaseUnavailable(failure)).to.equal(undefined);
    }
  });
});
