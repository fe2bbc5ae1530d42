import { once } from 'node:events';
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { selfSigned } from '../../testing/self-signed.js';
import { STALLING_BYTES, stalledRequest } from '../../testing/stalled-request.js';
import { RpcConnections } from './rpc-connections.js';

describe('the connections of a gRPC port', () => {
  for (const [scheme, create] of [
    ['http', () => createServer()],
    ['https', () => createSecureServer(selfSigned())],
  ] as [scheme: 'http' | 'https', () => Http2Server | Http2SecureServer][])
    it(`close in bounded time when a client reads nothing, over ${scheme}`, async () => {
      const clock = new FakeClock();
      const server = create();
      const connections = new RpcConnections(server, { firstCallMs: 1e6, idleMs: 1e6, pingMs: 1e6 }, clock);
      server.on('request', (_request, response) => response.end(Buffer.alloc(STALLING_BYTES)));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const endClient = await stalledRequest(scheme, (server.address() as AddressInfo).port);
      let isClosed = false;
      const closed = connections.close().then(() => (isClosed = true));
      await clock.pass(4_900);
      expect(isClosed).to.equal(false);
      await clock.pass(2_000);
      await closed;
      endClient();
    });
});
