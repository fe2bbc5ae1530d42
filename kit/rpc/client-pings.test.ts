import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { ConnectRouter } from '@connectrpc/connect';
import { expect } from 'chai';
import { type SilentProxy, startSilentProxy } from '../../testing/silent-proxy.js';
import { selfSigned } from '../../testing/self-signed.js';
import { until } from '../../testing/until.js';
import { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';
import { WakeSignal } from '../async/wake-signal.js';
import { listenRpc, type RpcListener } from './listen.js';

const PING_MS = 100;

for (const scheme of ['http', 'https'])
  describe(`a client with an open call, over ${scheme}`, () => {
    let listener: RpcListener;
    let proxy: SilentProxy;
    let session: ClientHttp2Session;
    let pings = 0;
    /** Calls that the service has, and bytes that each is to send before it waits. */
    let open = 0;
    let bytes = 0;

    const service = {
      name: 'the relay service',
      contracts: [RelayService],
      interceptors: [],
      routes: (router: ConnectRouter) =>
        void router.service(RelayService, {
          connectAdb: async function* (_requests, { signal }) {
            open++;
            try {
              for (let left = bytes; left > 0; left -= 64 * 1024)
                yield { message: { case: 'data' as const, value: new Uint8Array(64 * 1024) } };
              const ended = new WakeSignal();
              signal.addEventListener('abort', () => ended.wake(), { once: true });
              if (!signal.aborted) await ended.wait();
            } finally {
              open--;
            }
          },
        }),
    };

    beforeEach(async () => {
      [open, bytes, pings] = [0, 0, 0];
      const tls = scheme === 'https' ? selfSigned() : undefined;
      const limits = { pingMs: PING_MS };
      listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false, tls, limits });
      proxy = await startSilentProxy(listener.port);
      session = dial(() => pings++);
    });
    afterEach(async () => {
      session.destroy();
      await proxy.close();
      await listener.close();
    });

    /** Opens a connection, of which `onPing` is called for each ping. */
    function dial(onPing: () => void): ClientHttp2Session {
      const dialled = connect(`${scheme}://127.0.0.1:${proxy.port}`, { rejectUnauthorized: false });
      return dialled.on('error', () => undefined).on('ping', onPing);
    }

    /** Opens a call, of which nothing is read. */
    async function call(from: ClientHttp2Session): Promise<ClientHttp2Stream> {
      const stream = from.request({
        ':method': 'POST',
        ':path': '/cloudphone.relay.v1.RelayService/ConnectAdb',
        'content-type': 'application/grpc',
      });
      stream.on('error', () => undefined);
      // An empty message, without the end of the request.
      stream.write(Buffer.alloc(5));
      await until(() => open === 1);
      return stream;
    }

    it('that vanishes without a word has its call ended', async () => {
      await call(session);
      await until(() => pings > 0);
      proxy.fallSilent();
      await until(() => open === 0, 20_000);
    });

    it('keeps a call that only waits, as it responds to pings', async () => {
      const stream = await call(session);
      await until(() => pings >= 10);
      expect([open, stream.closed]).to.deep.equal([1, false]);
    });

    it('keeps a call of which it takes nothing', async () => {
      bytes = 64 * 1024 * 1024;
      const stream = await call(session);
      await until(() => pings >= 10);
      expect([open, stream.closed]).to.deep.equal([1, false]);
    });

    it('is sent no pings once its calls have ended', async () => {
      const stream = await call(session);
      stream.close();
      await once(stream, 'close');
      await until(() => open === 0);
      const before = pings;
      // Another connection with a call shows how many pings there was time for.
      let others = 0;
      const other = dial(() => others++);
      await call(other);
      await until(() => others >= 10);
      other.destroy();
      expect(pings - before).to.be.at.most(1);
    });
  });
