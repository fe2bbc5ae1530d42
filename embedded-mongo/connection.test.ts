import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ObjectId, serialize } from 'bson';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { silentLog } from '../kit/log/log.js';
import type { Server } from './commands/command.js';
import { serveConnection } from './connection.js';
import { CursorTable } from './commands/cursor-table.js';

describe('a connection of the embedded MongoDB', () => {
  it('ends when its client is gone before a command has its reply', async () => {
    let finish: () => void = () => undefined;
    const copied = new Promise<void>((resolve) => (finish = resolve));
    let began: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const copyTo = (): Promise<void> => {
      began();
      return copied;
    };
    const cursors = new CursorTable(systemClock);
    const server = { store: { copyTo }, cursors, clock: systemClock, processId: new ObjectId() } as unknown as Server;
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    const [socket] = (await once(listener, 'connection')) as [Socket];
    let held = 0;
    const holdBytes = (delta: number): boolean => (held += delta) < 1e6;
    const served = serveConnection(socket, 1, { server, log: silentLog, holdBytes });

    client.write(backupMessage());
    await beginning;
    socket.destroy();
    await once(socket, 'close');
    finish();
    await served;
    expect(held).to.equal(0);
    client.destroy();
    listener.close();
  });
});

function backupMessage(): Buffer {
  const body = serialize({ backup: 1, to: '/backup', $db: 'admin' });
  const head = Buffer.alloc(21);
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE(1, 4);
  head.writeInt32LE(2013, 12);
  return Buffer.concat([head, body]);
}
