import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { Code, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { systemClock } from '../async/clock.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { listenRpc, type RpcListener, MAX_STREAMS } from './listen.js';
import { MAX_REQUEST_BYTES, type RpcService } from './rpc-service.js';
import { connectTo } from './transport.js';

describe('a gRPC port', () => {
  let listener: RpcListener;
  let respond: () => Promise<void>;
  const service: RpcService = {
    name: 'the access service',
    contracts: [AccessService],
    routes: (router) =>
      void router.service(AccessService, {
        authenticate: async (_request, { signal }) => {
          await respond();
          signal.throwIfAborted();
          return {};
        },
      }),
    interceptors: [],
  };
  const place = { host: '127.0.0.1', port: 0, guarded: false };

  beforeEach(async () => {
    respond = () => Promise.resolve();
    listener = await listenRpc(service, place);
  });
  afterEach(() => listener.close());

  it('bounds the streams of a connection', async () => {
    const session = connect(`http://127.0.0.1:${listener.port}`);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(MAX_STREAMS);
    session.destroy();
  });

  it('refuses a request message that is too large', async () => {
    const url = `http://127.0.0.1:${listener.port}`;
    const client = createClient(AccessService, connectTo({ url, service: 'it', meshToken: undefined }));
    await client.authenticate({ authorization: 'x'.repeat(MAX_REQUEST_BYTES - 100) });
    const failure: unknown = await client
      .authenticate({ authorization: 'x'.repeat(MAX_REQUEST_BYTES) })
      .catch((error: unknown) => error);
    expect(failure).to.have.nested.property('cause.code', Code.ResourceExhausted);
  });

  for (const timeout of ['600H', '99999999H', '9999999999S']) {
    it(`serves a call that may take as long as ${timeout}`, async () => {
      respond = () => systemClock.sleep(20);
      const client = connect(`http://127.0.0.1:${listener.port}`);
      const stream = client.request({
        ':method': 'POST',
        ':path': '/cloudphone.access.v1.AccessService/Authenticate',
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-timeout': timeout,
      });
      stream.end(Buffer.alloc(5));
      stream.resume();
      const ended = new Promise<IncomingHttpHeaders>((resolve) => {
        stream.once('trailers', resolve);
        stream.once('response', (headers) => headers['grpc-status'] !== undefined && resolve(headers));
      });
      expect((await ended)['grpc-status']).to.equal('0');
      client.destroy();
    });
  }

  describe('with bounds for its connections', () => {
    const opened: ClientHttp2Session[] = [];

    async function listenWith(idleMs: number): Promise<void> {
      await listener.close();
      listener = await listenRpc(service, { ...place, limits: { maxConnections: 2, idleMs } });
    }
    afterEach(() => opened.splice(0).forEach((session) => session.destroy()));

    function open(): ClientHttp2Session {
      const session = connect(`http://127.0.0.1:${listener.port}`);
      opened.push(session);
      return session.on('error', () => undefined);
    }

    it('closes one that is too many at once, and those that are idle after their time', async () => {
      // Longer than a busy host takes to open the three.
      await listenWith(1_000);
      const [first, second] = [open(), open()];
      await Promise.all([once(first, 'remoteSettings'), once(second, 'remoteSettings')]);
      await once(open(), 'close');
      expect([first.closed, second.closed]).to.deep.equal([false, false]);
      await Promise.all([first, second].map(async (session) => session.closed || once(session, 'close')));
      await once(open(), 'remoteSettings');
    });

    it('does not close one whose call takes longer than that', async () => {
      // The call must reach a busy host before its connection is idle for so long.
      await listenWith(1_000);
      respond = () => systemClock.sleep(2_000);
      const url = `http://127.0.0.1:${listener.port}`;
      const client = createClient(AccessService, connectTo({ url, service: 'it', meshToken: undefined }));
      await client.authenticate({ authorization: 'x' });
    });
  });
});
