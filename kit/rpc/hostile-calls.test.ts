import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { Code } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { MemberRole, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { beginCall, begunMessage, endOfCall } from '../../testing/raw-calls.js';
import { until } from '../../testing/until.js';
import { systemClock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { callChecks } from './interceptors.js';
import { listenRpc, type RpcLimits, type RpcListener } from './listen.js';

const TOKEN = 'a token of this test with 32 characters';
const INTERNAL = '/cloudphone.access.v1.AccessService/Authenticate';
const PUBLIC = '/cloudphone.access.v1.AccountService/GetAccount';
const HEALTH = '/grpc.health.v1.Health/Check';
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
const WHOLE = Buffer.alloc(5);

/** A message with one unknown field, which every rpc accepts. */
function wholeMessage(bytes: number): Buffer {
  const message = begunMessage(bytes, bytes);
  const fieldBytes = bytes - 4;
  message.set([0x7a, (fieldBytes & 0x7f) | 0x80, ((fieldBytes >> 7) & 0x7f) | 0x80, fieldBytes >> 14], 5);
  return message;
}

describe('a hostile client of a gRPC port', () => {
  let listener: RpcListener;
  let session: ClientHttp2Session;
  let metrics: Registry;
  /** Calls that were served. */
  let served: number;
  /** Part of each response to PUBLIC, and what such calls wait for. */
  let email: string;
  let serving: Promise<void> | undefined;

  async function start(limits: Partial<RpcLimits> = {}): Promise<void> {
    const checks = callChecks({
      log: silentLog,
      clock: systemClock,
      metrics,
      meshToken: TOKEN,
      authenticate: async (authorization) => {
        if (!authorization.startsWith('Bearer right')) throw new ApiError('unauthorized', 'This key is not known.');
        const accountId = authorization === 'Bearer right of another' ? 'acc_2' : 'acc_1';
        return { accountId, scope: Scope.PERSON, role: MemberRole.OWNER, allow: [] } as never;
      },
    });
    const routes: Parameters<typeof listenRpc>[0]['routes'] = (router) => {
      router.service(AccessService, { authenticate: () => (served++, {}) });
      router.service(AccountService, { getAccount: async () => (served++, await serving, { account: { email } }) });
    };
    const service = { name: 'the access service', contracts: [AccessService, AccountService], routes, ...checks };
    listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: true, limits });
    session = dial();
  }
  const dial = (): ClientHttp2Session => connect(`http://127.0.0.1:${listener.port}`).on('error', () => undefined);
  const ours = { 'x-mesh-token': TOKEN };

  /** Whether another client's call is served. */
  async function othersAreServed(): Promise<void> {
    const other = dial();
    const stream = beginCall(other, INTERNAL, ours);
    stream.end(WHOLE);
    expect(await endOfCall(stream)).to.include({ status: 0 });
    other.destroy();
  }

  beforeEach(() => {
    metrics = new Registry();
    served = 0;
    [email, serving] = ['', undefined];
  });
  afterEach(async () => {
    session.destroy();
    await listener.close();
  });

  it('does not end the service by an authority that no URL can have', async () => {
    await start();
    for (const authority of ['[', 'x:99999', 'a:b:c', '[::1']) {
      const stream = beginCall(session, HEALTH, { ':authority': authority });
      stream.end(WHOLE);
      const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      expect(headers[':status'], authority).to.equal(400);
    }
    await othersAreServed();
  });

  it('does not end the service by any byte in the value of a header', async () => {
    await start();
    const bytes = [...Array.from({ length: 33 }, (_, byte) => byte), 0x25, 0x5b, 0x7f, 0x80, 0xff];
    for (const value of bytes.map((byte) => `a${String.fromCharCode(byte)}b`)) {
      for (const name of ['authorization', 'x-request-id', 'grpc-timeout', 'content-type', ':authority']) {
        const other = dial();
        // Node's client, or the library of the server, refuses some of them.
        try {
          const stream = beginCall(other, HEALTH, { [name]: value });
          stream.end(WHOLE);
          await new Promise((resolve) => stream.once('close', resolve));
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).to.match(/^ERR_(INVALID|HTTP2)/);
        }
        other.destroy();
      }
    }
    await othersAreServed();
  });

  it('is refused without the credential of an rpc also where its path has a query', async () => {
    await start();
    for (const [path, code] of [
      [`${INTERNAL}?`, Code.PermissionDenied],
      [`${PUBLIC}?a=b?c`, Code.Unauthenticated],
    ] as const) {
      const stream = beginCall(session, path);
      stream.write(begunMessage(1));
      expect((await endOfCall(stream)).status, path).to.equal(code);
    }
  });

  for (const [what, message] of [
    ['messages that it does not finish', begunMessage(100_000)],
    ['whole messages without the end of their calls', wholeMessage(100_000)],
  ] as const) {
    for (const path of [HEALTH, `${HEALTH}?`, REFLECTION]) {
      if (path === REFLECTION && message.length === message.readUInt32BE(1) + 5) continue; // each is read at once
      it(`has a bound for ${what}, at ${path}`, async () => {
        await start({ connectionBytes: 400_000 });
        const refused: number[] = [];
        for (let calls = 0; calls < 20; calls++) {
          const stream = beginCall(session, path);
          void endOfCall(stream).then(({ status }) => refused.push(status));
          stream.write(message);
        }
        await until(() => refused.length >= 16);
        expect(new Set(refused)).to.deep.equal(new Set([Code.ResourceExhausted]));
        await othersAreServed();
      });
    }
  }

  it('has a time for the end of a call whose message is whole', async () => {
    await start({ messageMs: 50 });
    const stream = beginCall(session, HEALTH);
    stream.write(WHOLE);
    expect(await endOfCall(stream)).to.include({ status: Code.DeadlineExceeded });
  });

  it('is not served when its message comes after the deadline of its call', async () => {
    await start();
    const stream = beginCall(session, INTERNAL, { ...ours, 'grpc-timeout': '50m' });
    const ended = endOfCall(stream);
    stream.write(begunMessage(10));
    expect(await ended).to.include({ status: Code.DeadlineExceeded });
    expect(served).to.equal(0);
  });

  it('gets back what it held by calls that Connect ends for a second message', async () => {
    await start({ connectionBytes: 200_000 });
    for (let calls = 0; calls < 40; calls++) {
      const stream = beginCall(session, HEALTH);
      stream.end(Buffer.concat([WHOLE, WHOLE, begunMessage(10_000)]));
      expect((await endOfCall(stream)).status).to.equal(Code.Unimplemented);
    }
    const stream = beginCall(session, HEALTH);
    stream.end(WHOLE);
    expect(await endOfCall(stream)).to.include({ status: 0 });
  });

  it('cannot keep others out by holding all that a port may hold', async () => {
    await start({ anonymousBytes: 400_000, portBytes: 400_000, maxConnections: 20 });
    const greedy = Array.from({ length: 4 }, () => dial());
    for (const connection of greedy)
      for (let calls = 0; calls < 5; calls++) beginCall(connection, HEALTH).write(begunMessage(20_000 - 5));
    // One byte more than all of it is refused.
    await until(async () => {
      const stream = beginCall(greedy[0]!, HEALTH);
      stream.end(WHOLE);
      return (await endOfCall(stream)).status === (Code.ResourceExhausted as number);
    });
    for (let calls = 0; calls < 10; calls++) await othersAreServed();
    for (const connection of greedy) connection.destroy();
  });

  for (const [what, path, headers] of [
    ['without a credential', HEALTH, {}],
    ['with the key of an account', PUBLIC, { authorization: 'Bearer right' }],
  ] as const)
    it(`cannot take the room of those who show more, ${what}`, async () => {
      await start({ portBytes: 800_000, anonymousBytes: 800_000, maxConnections: 1_000 });
      const greedy = Array.from({ length: 5 }, () => dial());
      const refused: number[] = [];
      for (const connection of greedy)
        for (let calls = 0; calls < 10; calls++) {
          const stream = beginCall(connection, path, headers);
          void endOfCall(stream).then(({ status }) => refused.push(status));
          stream.write(begunMessage(100_000));
        }
      await until(() => refused.length >= 42);
      expect(new Set(refused)).to.deep.equal(new Set([Code.ResourceExhausted]));
      for (const [larger, shown] of [
        [INTERNAL, ours],
        ...(path === HEALTH ? [[PUBLIC, { authorization: 'Bearer right' }] as const] : []),
      ] as const) {
        const stream = beginCall(session, larger, shown);
        stream.end(wholeMessage(200_000));
        expect(await endOfCall(stream), larger).to.include({ status: 0 });
      }
      for (const connection of greedy) connection.destroy();
    });

  it('gives back what it held by calls that it resets', async () => {
    await start({ connectionBytes: 200_000 });
    for (let calls = 0; calls < 40; calls++) {
      const stream = beginCall(session, INTERNAL, ours);
      const closed = once(stream, 'close');
      await new Promise((resolve) => stream.write(begunMessage(50_000), resolve));
      stream.close(constants.NGHTTP2_CANCEL);
      await closed;
    }
    await until(async () => {
      const stream = beginCall(session, HEALTH);
      stream.end(WHOLE);
      return (await endOfCall(stream)).status === 0;
    });
  });

  for (const path of ['/grpc.health.v1.Health/Watch', REFLECTION, HEALTH]) {
    it(`has a bound for the calls that it keeps open without a credential, at ${path}`, async () => {
      await start({ maxOpenCallsOfAddress: 3 });
      const keepOpen = (on: ClientHttp2Session) => {
        const stream = beginCall(on, path);
        if (path.endsWith('Watch')) stream.end(WHOLE);
        else stream.write(path === REFLECTION ? Buffer.concat([Buffer.of(0, 0, 0, 0, 2), Buffer.of(0x3a, 0)]) : WHOLE);
        return stream;
      };
      const connections = [session, dial()];
      const open = [0, 1, 0].map((at) => keepOpen(connections[at]!));
      await Promise.all(open.map((stream) => (path === HEALTH ? once(stream, 'ready') : once(stream, 'response'))));
      await until(
        async () => (await endOfCall(keepOpen(connections[1]!))).status === (Code.ResourceExhausted as number),
      );
      await othersAreServed();
      const last = open[0]!;
      last.close(constants.NGHTTP2_CANCEL);
      await once(last, 'close');
      await until(async () => {
        const stream = beginCall(connections[1]!, HEALTH);
        stream.end(WHOLE);
        return (await endOfCall(stream)).status === 0;
      });
      connections[1]!.destroy();
    });
  }

  it('has a bound for the open calls of its account, by all its keys and connections', async () => {
    await start({ maxOpenCallsOfCaller: 3 });
    let serve = (): void => undefined;
    serving = new Promise((resolve) => (serve = resolve));
    const other = dial();
    const call = (on: ClientHttp2Session, key: string) => {
      const stream = beginCall(on, PUBLIC, { authorization: key });
      stream.end(WHOLE);
      return endOfCall(stream);
    };
    const open = [call(session, 'Bearer right'), call(other, 'Bearer right 2'), call(session, 'Bearer right 3')];
    await until(() => served === 3);
    expect(await call(other, 'Bearer right')).to.deep.equal({
      status: Code.ResourceExhausted,
      message: 'Too many calls of this account or key are open. End some of them.',
    });
    const others = call(other, 'Bearer right of another');
    serve();
    for (const ended of [...open, others]) expect((await ended).status).to.equal(0);
    expect((await call(other, 'Bearer right')).status).to.equal(0);
    other.destroy();
  });

  it('has a bound for the calls of its address, of which services with the token are no part', async () => {
    await start({ maxAllCallsOfAddress: 2 });
    const open = [0, 1].map(() => beginCall(session, PUBLIC, { authorization: 'Bearer right' }));
    await Promise.all(open.map((stream) => once(stream, 'ready')));
    await until(async () => {
      const stream = beginCall(session, PUBLIC, { authorization: 'Bearer right of another' });
      stream.end(WHOLE);
      return (await endOfCall(stream)).status === (Code.ResourceExhausted as number);
    });
    await othersAreServed();
  });

  it('has a bound for the responses that it does not read, and gets it back', async () => {
    await start({ maxUnreadBytesOfCaller: 500_000 });
    email = 'x'.repeat(100_000);
    const deaf = connect(`http://127.0.0.1:${listener.port}`, { settings: { initialWindowSize: 1_000 } });
    deaf.on('error', () => undefined);
    const codes: number[] = [];
    const streams = Array.from({ length: 20 }, () => {
      const stream = beginCall(deaf, PUBLIC, { authorization: 'Bearer right' });
      stream.pause();
      stream.once('close', () => codes.push(stream.rstCode));
      stream.end(WHOLE);
      return stream;
    });
    await until(() => served === 20);
    await until(() => codes.length >= 14);
    expect(new Set(codes)).to.deep.equal(new Set([constants.NGHTTP2_ENHANCE_YOUR_CALM]));
    const read = async (key: string): Promise<number> => {
      const stream = beginCall(session, PUBLIC, { authorization: key });
      const reset = new Promise<number>((resolve) => stream.once('close', () => resolve(-1)));
      const end = endOfCall(stream).then(({ status }) => status);
      stream.end(WHOLE);
      return Promise.race([end, reset]);
    };
    expect(await read('Bearer right of another')).to.equal(0);
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    await until(async () => (await read('Bearer right')) === 0);
    deaf.destroy();
  });

  it('shows in the metrics with the code of its refusal, once for each call', async () => {
    await start({ messageMs: 50 });
    for (const [path, headers, message] of [
      [INTERNAL, {}, begunMessage(1)],
      [PUBLIC, {}, begunMessage(1)],
      [PUBLIC, { authorization: 'Bearer wrong' }, WHOLE],
      [PUBLIC, { authorization: 'Bearer right', 'grpc-timeout': 'soon' }, WHOLE],
      [PUBLIC, { authorization: 'Bearer right' }, begunMessage(1)],
      [INTERNAL, ours, 'whole'],
    ] as const) {
      const stream = beginCall(session, path, headers);
      if (message === 'whole') stream.end(WHOLE);
      else stream.write(message);
      await endOfCall(stream);
    }
    const counts = async (): Promise<Record<string, number>> => {
      const metric = await metrics.getSingleMetric('rpc_duration_seconds')?.get();
      const values = (metric?.values ?? []) as {
        metricName?: string;
        labels: Record<string, string>;
        value: number;
      }[];
      return Object.fromEntries(
        values
          .filter(({ metricName }) => metricName === 'rpc_duration_seconds_count')
          .map(({ labels, value }) => [`${labels['method']?.split('/')[1]} ${labels['code']}`, value]),
      );
    };
    expect(await counts()).to.deep.equal({
      'Authenticate permission_denied': 1,
      'GetAccount unauthenticated': 2,
      'GetAccount invalid_argument': 1,
      'GetAccount deadline_exceeded': 1,
      'Authenticate ok': 1,
    });
  });
});
