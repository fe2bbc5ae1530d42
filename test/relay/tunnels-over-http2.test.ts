import { type ConnectRouter, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { silentLog } from '../../kit/log/log.js';
import { listenRpc } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { joinPieces } from '../../kit/net/join-pieces.js';
import { RelayService } from '../../proto/gen/cloudphone/relay/v1/relay_service_pb.js';

const STREAMS = 40;

describe('many tunnels over one connection between two services', () => {
  it('do not keep other calls from being made while none of their bytes is taken', async () => {
    const over = new WakeSignal();
    let isOver = false;
    const service = {
      name: 'the relay service',
      contracts: [RelayService],
      interceptors: [],
      routes: (router: ConnectRouter) =>
        void router.service(RelayService, {
          getAdb: () => ({ adb: { enabled: true } }),
          connectAdb: async function* (requests) {
            await requests[Symbol.asyncIterator]().next();
            yield { message: { case: 'data' as const, value: new Uint8Array() } };
            while (!isOver) await over.wait();
          },
        }),
    };
    const listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false, log: silentLog });
    const url = `http://127.0.0.1:${listener.port}`;
    const client = createClient(RelayService, connectTo({ url, service: service.name, meshToken: undefined }));
    const ends: AbortController[] = [];
    try {
      for (let count = 0; count < STREAMS; count++) {
        const end = new AbortController();
        ends.push(end);
        const requests = (async function* () {
          yield { name: 'demo' };
          // Messages of the largest size, as a gateway passes them on.
          for (const data of joinPieces([Buffer.alloc(1024 * 1024 + 24)])) yield { data };
        })();
        const responses = client.connectAdb(requests, { signal: end.signal })[Symbol.asyncIterator]();
        expect((await responses.next()).done).to.equal(false);
        responses.next().catch(() => undefined);
      }
      for (let count = 0; count < 10; count++)
        expect((await client.getAdb({ name: 'demo' }, { timeoutMs: 20_000 })).adb?.enabled).to.equal(true);
    } finally {
      isOver = true;
      over.wake();
      for (const end of ends) end.abort();
      await listener.close();
    }
  });
});
