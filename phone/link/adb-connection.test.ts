import { unhandledRejections } from '../../testing/unhandled-rejections.js';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { AdbPacketInit } from '@yume-chan/adb';
import { Consumable } from '@yume-chan/stream-extra';
import { expect } from 'chai';
import { Command } from '../adb/packet.js';
import { adbConnection } from './adb-connection.js';

const PACKET: AdbPacketInit = {
  command: Command.OKAY,
  arg0: 1,
  arg1: 2,
  payload: new Uint8Array(),
  checksum: 0,
  magic: 0,
};

describe('adbConnection', () => {
  let server: Server;
  let phone: Socket;
  let socket: Socket;

  beforeEach(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted = once(server, 'connection');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [phone] = (await accepted) as [Socket];
    phone.on('error', () => undefined);
  });

  afterEach(() => {
    socket.destroy();
    phone.destroy();
    server.close();
  });

  it('lets a packet that is written to a phone that has hung up go, and leaves no unhandled rejection', async () => {
    const unseen = await unhandledRejections(async () => {
      const { readable, writable } = adbConnection(socket);
      const reader = readable.getReader();
      const ended = reader.read().catch((error: unknown) => error);
      const writer = writable.getWriter();
      const hungUp = once(socket, 'end');
      phone.end();
      await hungUp;
      // The library sends like this when it does not wait for the end.
      void Consumable.WritableStream.write(writer, PACKET);
      expect(await ended).to.be.instanceOf(Error);
    });
    expect(unseen).to.deep.equal([]);
  });
});
