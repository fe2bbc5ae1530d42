import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { Code } from '@connectrpc/connect';
import { expect } from 'chai';
import { beginCall, begunMessage, endOfCall } from '../../testing/raw-calls.js';
import { until } from '../../testing/until.js';
import { ApiError } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { admitCalls } from './admit-call.js';
import { listenRpc, type RpcLimits, type RpcListener } from './listen.js';
import { meshCheck } from './mesh.js';
import type { RpcService } from './rpc-service.js';

const TOKEN = 'a token of this test with 32 characters';
const INTERNAL = '/cloudphone.access.v1.AccessService/Authenticate';
const PUBLIC = '/cloudphone.access.v1.AccountService/GetAccount';

describe('the messages that come to a gRPC port', () => {
  let listener: RpcListener;
  let session: ClientHttp2Session;
  /** Credentials that were checked. */
  let checked: string[];

  const service: RpcService = {
    name: 'the access service',
    contracts: [AccessService, AccountService],
    routes: (router) => {
      router.service(AccessService, { authenticate: () => ({}) });
      router.service(AccountService, { getAccount: () => ({}) });
    },
    interceptors: [],
    admit: admitCalls({
      isOurs: meshCheck(TOKEN),
      authenticate: async (authorization) => {
        checked.push(authorization);
        if (authorization !== 'Bearer right') throw new ApiError('unauthorized', 'This key is not known.');
        return {} as never;
      },
      log: silentLog,
    }),
  };

  async function start(limits: Partial<RpcLimits> = {}): Promise<void> {
    listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: true, limits });
    session = dial();
  }
  const dial = (): ClientHttp2Session => connect(`http://127.0.0.1:${listener.port}`).on('error', () => undefined);

  beforeEach(() => (checked = []));
  afterEach(async () => {
    session.destroy();
    await listener.close();
  });

  const call = (path: string, headers: Record<string, string> = {}, type?: string): ClientHttp2Stream =>
    beginCall(session, path, headers, type);
  const ours = { 'x-mesh-token': TOKEN };

  it('are not read of a caller without the credential that the rpc needs', async () => {
    await start();
    for (const [path, headers, code] of [
      [INTERNAL, {}, Code.PermissionDenied],
      [INTERNAL, { 'x-mesh-token': 'another' }, Code.PermissionDenied],
      [PUBLIC, {}, Code.Unauthenticated],
      [PUBLIC, { authorization: 'Bearer wrong' }, Code.Unauthenticated],
    ] as const) {
      const stream = call(path, headers);
      stream.write(begunMessage(1));
      expect((await endOfCall(stream)).status, `${path} ${JSON.stringify(headers)}`).to.equal(code);
      await until(() => stream.closed);
    }
    expect(checked).to.deep.equal(['Bearer wrong']);
  });

  it('of a unary call of Connect are refused in its own form', async () => {
    await start();
    const stream = call(PUBLIC, {}, 'application/json');
    stream.write('{');
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    expect(headers[':status']).to.equal(401);
  });

  it('are read of a caller with its credential, in any pieces', async () => {
    await start();
    for (const [path, headers] of [
      [INTERNAL, ours],
      [PUBLIC, { authorization: 'Bearer right' }],
    ] as const) {
      const stream = call(path, headers);
      for (const byte of Buffer.alloc(5)) stream.write(Buffer.of(byte));
      stream.end();
      expect(await endOfCall(stream)).to.include({ status: 0 });
    }
  });

  it('are held up to a bound for each connection, which the end of calls gives back', async () => {
    await start({ connectionBytes: 400_000, portBytes: 10_000_000 });
    const streams = Array.from({ length: 20 }, () => call(INTERNAL, ours));
    const refused: number[] = [];
    for (const stream of streams) {
      void endOfCall(stream).then(({ status }) => refused.push(status));
      stream.write(begunMessage(100_000));
    }
    await until(() => refused.length >= 16);
    expect(new Set(refused)).to.deep.equal(new Set([Code.ResourceExhausted]));
    // Another connection is not concerned.
    const other = dial();
    const mine = session;
    session = other;
    const stream = call(INTERNAL, ours);
    stream.end(Buffer.alloc(5));
    expect(await endOfCall(stream)).to.include({ status: 0 });
    mine.destroy();
    await once(mine, 'close');
  });

  it('are held up to a bound for the port, which closed connections give back', async () => {
    await start({ connectionBytes: 10_000_000, portBytes: 400_000 });
    const refused: number[] = [];
    const connections = Array.from({ length: 5 }, () => dial());
    const own = session;
    for (const connection of connections) {
      session = connection;
      for (let at = 0; at < 4; at++) {
        const stream = call(INTERNAL, ours);
        void endOfCall(stream).then(({ status }) => refused.push(status));
        stream.write(begunMessage(100_000));
      }
    }
    await until(() => refused.length >= 16);
    for (const connection of connections) connection.destroy();
    session = own;
    await until(async () => {
      const stream = call(INTERNAL, ours);
      stream.end(Buffer.concat([begunMessage(300_000, 300_000)]));
      // Refused for its content, and not for its size.
      return (await endOfCall(stream)).status !== (Code.ResourceExhausted as number);
    });
  });

  it('in frames of one byte cost their sender the connection', async () => {
    await start();
    const stream = call(INTERNAL, ours);
    stream.write(begunMessage(0));
    const closed = once(session, 'close');
    let sent = 0;
    const drip = setInterval(() => {
      for (let at = 0; at < 20 && !stream.destroyed; at++, sent++) stream.write(Buffer.alloc(1));
    }, 1);
    await closed;
    clearInterval(drip);
    expect(sent).to.be.within(64, 100_000);
  });

  it('have a time in which they must have come', async () => {
    await start({ messageMs: 50 });
    const stream = call(INTERNAL, ours);
    stream.write(begunMessage(10));
    expect(await endOfCall(stream)).to.deep.equal({
      status: Code.DeadlineExceeded,
      message: 'The message did not come within 0.05 s.',
    });
  });

  it('have a malformed timeout refused with a text that says what is allowed', async () => {
    await start();
    for (const timeout of ['10', 'S', '-1S', '1.5S', '10 S', 'soon']) {
      const stream = call(INTERNAL, { ...ours, 'grpc-timeout': timeout });
      stream.end(Buffer.alloc(5));
      expect(await endOfCall(stream), timeout).to.deep.equal({
        status: Code.InvalidArgument,
        message: 'grpc-timeout is not a whole number and a unit: H, M, S, m, u or n, for example 10S.',
      });
    }
  });

  it('need a connection that is used soon, and that is not one of too many of its address', async () => {
    await start({ firstCallMs: 1_000, maxConnectionsOfAddress: 3 });
    await once(session, 'remoteSettings');
    const silent = [dial(), dial()];
    await Promise.all(silent.map((one) => once(one, 'remoteSettings')));
    const fourth = dial();
    await once(fourth, 'close');
    for (const one of [session, ...silent]) if (!one.closed) await once(one, 'close');
    session = dial();
    const stream = call(INTERNAL, ours);
    stream.end(Buffer.alloc(5));
    expect(await endOfCall(stream)).to.include({ status: 0 });
  });
});
