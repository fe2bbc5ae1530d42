import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { databaseAddress } from '../../testing/database-address.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { silentLog } from '../log/log.js';
import { isReachable, connectMongo, type MongoConnection } from './mongo.js';
import { Readiness } from '../ops/readiness.js';

describe('a check of the database', () => {
  let directory: string;
  let server: EmbeddedMongo;
  let way: Server;
  let connection: MongoConnection;
  let clock: FakeClock;
  let readiness: Readiness;
  let isSilent: boolean;
  /** Called with each chunk that the silent database receives. */
  let heard: () => void;
  const sockets = new Set<Socket>();

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-mongo-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
    isSilent = false;
    heard = () => undefined;
    // A network on which packets are lost from some moment on, without a word.
    way = createServer((client) => {
      const database = connect(databaseAddress(server.url));
      for (const [from, to] of [
        [client, database],
        [database, client],
      ] as const) {
        sockets.add(from);
        from.on('data', (chunk) => {
          if (isSilent) heard();
          else to.write(chunk);
        });
        from.on('error', () => undefined);
        from.on('close', () => to.destroy());
      }
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => way.once('listening', resolve));
    const url = `mongodb://127.0.0.1:${(way.address() as AddressInfo).port}/?directConnection=true`;
    connection = await connectMongo({ url, log: silentLog });
    clock = new FakeClock();
    readiness = new Readiness({ clock, log: silentLog });
    readiness.needs('database', isReachable(connection.database));
    readiness.start();
  });

  afterEach(async () => {
    await connection.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => way.close(resolve));
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('fails within its time limit when nothing comes back, and succeeds again afterwards', async () => {
    expect(await readiness.report()).to.deep.include({ ready: true });
    isSilent = true;
    const asked = new Promise<void>((resolve) => (heard = resolve));
    const report = readiness.report();
    await asked;
    clock.turn(800);
    expect((await report).checks).to.deep.equal({ database: 'failing' });
    isSilent = false;
    expect(await readiness.report()).to.deep.include({ ready: true });
  });
});

describe('an operation of the database', () => {
  it('is done on another connection when it begins in the moment in which its own is lost', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cloudphone-mongo-'));
    const server = await startEmbeddedMongo({ directory, log: silentLog });
    const sockets: Socket[] = [];
    const onSocket = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', onSocket);
    const connection = await connectMongo({ url: server.url, log: silentLog });
    const collection = connection.database.collection<{ _id: number; a: number }>('c');
    await collection.insertOne({ _id: 1, a: 1 });

    // They close in this turn of the event loop, and the driver is notified in the next one.
    for (const socket of sockets) socket.destroy();
    const { modifiedCount } = await collection.updateOne({ _id: 1 }, { $set: { a: 2 } });

    expect(modifiedCount).to.equal(1);
    unsubscribe('net.client.socket', onSocket);
    await connection.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });
});
