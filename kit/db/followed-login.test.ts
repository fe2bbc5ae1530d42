import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary } from 'bson';
import { expect } from 'chai';
import { pino } from 'pino';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import type { BsonDocument } from '../../embedded-mongo/values/document.js';
import { DatabaseFront, type Treatment } from '../../testing/database-front.js';
import { until } from '../../testing/until.js';
import { silentLog } from '../log/log.js';
import { connectMongo, type MongoConnection } from './mongo.js';

/** A login that is sent as it is, which the official driver has for directories of users. It is one message each way. */
const OPTIONS = '&authMechanism=PLAIN&authSource=$external';

const REFUSED = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
const UNAUTHORIZED = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'Command requires authentication' };

describe('a login of the database that is followed', () => {
  let directory: string;
  let server: EmbeddedMongo;
  let front: DatabaseFront;
  let connection: MongoConnection;
  let users: Map<string, string>;
  let refusals: number;
  let lines: string;
  /** The user of each connection. */
  const logins = new Map<Socket, string>();

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'login-'));
    [users, refusals, lines] = [new Map([['one', 'first']]), 0, ''];
    server = await startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog });
    front = await DatabaseFront.open(server.url, treat);
    put('one:first');
    const log = pino({ level: 'debug' }, { write: (line: string) => void (lines += line) });
    connection = await connectMongo({ url: urlOf('one:first'), urlFile: join(directory, 'url'), log });
  });
  afterEach(async () => {
    await connection.close();
    await front.close();
    await server.close();
    logins.clear();
    rmSync(directory, { recursive: true });
  });

  /** Behaves as MongoDB does: a connection is of one user, and of nobody once that user is gone. */
  function treat(body: BsonDocument, socket: Socket): Treatment | undefined {
    if ('saslStart' in body) {
      const [, user = '', password] = Buffer.from((body['payload'] as Binary).buffer)
        .toString()
        .split('\0');
      if (users.get(user) !== password) {
        refusals++;
        return { answer: REFUSED };
      }
      logins.set(socket, user);
      socket.once('close', () => logins.delete(socket));
      return { answer: { ok: 1, conversationId: 1, done: true, payload: new Binary(Buffer.alloc(0)) } };
    }
    if ('hello' in body || 'ismaster' in body || 'isMaster' in body) return undefined;
    return users.has(logins.get(socket) ?? '') ? undefined : { answer: UNAUTHORIZED };
  }

  const urlOf = (login: string): string => front.url(login, OPTIONS);
  function put(login: string, url = urlOf(login)): void {
    writeFileSync(join(directory, 'url.new'), `${url}\n`);
    renameSync(join(directory, 'url.new'), join(directory, 'url'));
  }
  const usersOfConnections = (): string[] => [...new Set(logins.values())].sort();

  /** Uses the database all the time on several connections, until `work` has ended; returns the errors. */
  async function whileUsed(work: () => Promise<void>): Promise<unknown[]> {
    const use = { isOver: false };
    const errors: unknown[] = [];
    const counts = connection.database.collection<{ _id: number; n: number }>('counts');
    const loops = Array.from({ length: 8 }, async (_, _id) => {
      for (let n = 0; !use.isOver; n++)
        await counts
          .updateOne({ _id }, { $set: { n } }, { upsert: true })
          .then(() => counts.findOne({ _id }))
          .catch((error: unknown) => errors.push(error));
    });
    try {
      await until(() => logins.size >= 4);
      await work();
    } finally {
      use.isOver = true;
      await Promise.all(loops);
    }
    return errors;
  }

  it('is replaced by another user while operations run, and none fails once the old user is gone', async () => {
    const errors = await whileUsed(async () => {
      users.set('two', 'second');
      put('two:second');
      await until(() => usersOfConnections().join() === 'two');
      users.delete('one');
      await connection.database.collection('counts').countDocuments();
    });
    expect(errors).to.deep.equal([]);
    expect(refusals).to.equal(0);
    expect(lines)
      .to.contain('the new login of MONGODB_URL_FILE')
      .and.not.match(/first|second/);
  });

  it('waits until the database accepts it, with the old one in use', async () => {
    const errors = await whileUsed(async () => {
      put('two:second');
      await until(() => refusals > 0);
      expect(usersOfConnections()).to.deep.equal(['one']);
      users.set('two', 'second');
      await until(() => usersOfConnections().join() === 'two');
    });
    expect(errors).to.deep.equal([]);
    expect(lines)
      .to.contain('could not use the new login')
      .and.not.match(/first|second/);
  });

  it('has a new password of the same user, without which new connections alone are refused meanwhile', async () => {
    const errors = await whileUsed(async () => {
      const old = new Set(logins.keys());
      users.set('one', 'newer');
      put('one:newer');
      await until(() => [...logins.keys()].every((socket) => !old.has(socket)) && logins.size > 0);
    });
    // Other requests that wait for a connection when one is refused fail with it, by an error of the driver's pool.
    for (const error of errors)
      expect(error).to.satisfy(
        ({ code, name }: { code?: number; name?: string }) => code === REFUSED.code || name === 'MongoPoolClearedError',
      );
    expect(await whileUsed(async () => undefined)).to.deep.equal([]);
  });

  it('stays as it is where the file names another server, or no login', async () => {
    for (const url of ['mongodb://two:second@127.0.0.2:1/', front.url('', OPTIONS), 'two:second', '']) {
      lines = '';
      put('', url);
      await until(() => lines.includes('The last good version stays in use'));
      expect(lines).not.to.match(/first|second/);
    }
    expect(await connection.database.command({ ping: 1 })).to.include({ ok: 1 });
    expect(usersOfConnections()).to.deep.equal(['one']);
    users.set('two', 'second');
    put('two:second');
    await until(async () => {
      await connection.database.command({ ping: 1 });
      return usersOfConnections().join() === 'two';
    });
  });
});
