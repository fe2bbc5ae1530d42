import { once } from 'node:events';
import { connect } from 'node:http2';
import { Code, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { listenRpc, type RpcListener, STREAMS_MAX } from './listen.js';
import { REQUEST_MAX_BYTES } from './rpc-service.js';
import { connectTo } from './transport.js';

describe('a gRPC port', () => {
  let listener: RpcListener;
  beforeEach(async () => {
    const service = {
      name: 'the access service',
      contracts: [AccessService],
      routes: (router: Parameters<Parameters<typeof listenRpc>[0]['routes']>[0]) =>
        void router.service(AccessService, { authenticate: () => ({}) }),
      interceptors: [],
    };
    listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false });
  });
  afterEach(() => listener.close());

  it('bounds the streams of a connection', async () => {
    const session = connect(`http://127.0.0.1:${listener.port}`);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).to.equal(STREAMS_MAX);
    session.destroy();
  });

  it('refuses a request message that is too large', async () => {
    const url = `http://127.0.0.1:${listener.port}`;
    const client = createClient(AccessService, connectTo({ url, service: 'it', meshToken: undefined }));
    await client.authenticate({ authorization: 'x'.repeat(REQUEST_MAX_BYTES - 100) });
    const failure: unknown = await client
      .authenticate({ authorization: 'x'.repeat(REQUEST_MAX_BYTES) })
      .catch((error: unknown) => error);
    expect(failure).to.have.nested.property('cause.code', Code.ResourceExhausted);
  });
});
