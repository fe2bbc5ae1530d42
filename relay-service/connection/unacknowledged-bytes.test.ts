import { expect } from 'chai';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { until } from '../../testing/until.js';
import { createUnacknowledgedBytes } from './unacknowledged-bytes.js';
import { skip } from '../../testing/skip.js';

describe('the bytes that a peer has not acknowledged', () => {
  for (const host of ['127.0.0.1', '::1']) {
    it(`are read from the system's table, for ${host}`, async function () {
      if (process.platform !== 'linux') skip(this, 'needs Linux');
      const server = createServer();
      const listening = once(server, 'listening');
      server.listen(0, host);
      await Promise.race([listening, once(server, 'error')]);
      if (!server.listening) skip(this, `this machine has no ${host}`);
      const accepted = once(server, 'connection') as Promise<[Socket]>;
      const client = connect((server.address() as AddressInfo).port, host);
      const [socket] = await accepted;
      const unacknowledged = createUnacknowledgedBytes();
      expect(await unacknowledged(socket)).to.equal(0);
      // More than a client that does not read can be sent.
      client.pause();
      socket.write(Buffer.alloc(16 * 1024 * 1024));
      await until(async () => (await unacknowledged(socket)) > 0);
      const both = await Promise.all([unacknowledged(socket), unacknowledged(client)]);
      expect(both[0]).to.be.greaterThan(0);
      expect(both[1]).to.equal(0);
      client.resume();
      await until(async () => socket.writableLength === 0 && (await unacknowledged(socket)) === 0);
      client.destroy();
      socket.destroy();
      server.close();
    });
  }
});
