import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { create, type DescService, type MessageInitShape } from '@bufbuild/protobuf';
import { type CallOptions, type Client, createClient, type ServiceImpl } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { type Caller, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { FileService, type WriteFileRequestSchema } from '../../proto/gen/cloudphone/screen/v1/file_service_pb.js';
import { ScreenService } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { systemClock } from '../async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../errors/api-error.js';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { silentLog } from '../log/log.js';
import { callOf } from './context.js';
import { serverInterceptors } from './interceptors.js';
import { listenRpc } from './listen.js';
import type { RpcService } from './rpc-service.js';
import { connectTo } from './transport.js';
import { STREAM_CHECK_MS, whileAllowed } from './while-allowed.js';

type StreamLogs = ServiceImpl<typeof ScreenService>['streamLogs'];

describe('the caller of an open stream', () => {
  let clock: FakeClock;
  /** The outcome of the look-up of the caller. */
  let verdict: 'good' | 'revoked' | 'away';
  let checks: number;
  let keyId: string;

  beforeEach(() => {
    clock = new FakeClock();
    verdict = 'good';
    checks = 0;
    keyId = 'key_1';
  });

  async function authenticate() {
    checks++;
    if (verdict === 'revoked') throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    if (verdict === 'away') throw new ApiError('unavailable', 'the device service cannot be reached just now');
    return create(CallerSchema, { accountId: 'acc_1', keyId, scope: Scope.CONTROL, allDevices: true });
  }

  function withStream(streamLogs: StreamLogs, test: (messages: AsyncIterable<unknown>) => Promise<void>) {
    return withClient(ScreenService, { streamLogs }, (client, options) =>
      test(client.streamLogs({ name: 'one' }, options)),
    );
  }

  async function withClient<S extends DescService>(
    contract: S,
    routes: Partial<ServiceImpl<S>>,
    test: (client: Client<S>, options: CallOptions) => Promise<void>,
  ) {
    const service: RpcService = {
      name: 'the screen service',
      contracts: [contract],
      routes: (router) => void router.service(contract, routes),
      interceptors: serverInterceptors({
        log: silentLog,
        clock,
        metrics: new Registry(),
        authenticate,
        meshToken: undefined,
      }),
    };
    const listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false });
    const url = `http://127.0.0.1:${listener.port}`;
    const client = createClient(contract, connectTo({ url, service: service.name, meshToken: undefined }));
    const hangUp = new AbortController();
    const headers = { authorization: 'Bearer cp_key' };
    try {
      await test(client, { headers, signal: hangUp.signal });
    } finally {
      hangUp.abort();
      await listener.close();
    }
  }

  /** Messages for ever, one each time `ring` is called; the first at once. */
  function bell(): { streamLogs: StreamLogs; ring: () => void } {
    let ring: () => void = () => undefined;
    return {
      ring: () => ring(),
      streamLogs: async function* (_request, { signal }) {
        while (!signal.aborted) {
          yield {};
          await new Promise<void>((resolve) => {
            ring = resolve;
            signal.addEventListener('abort', () => resolve());
          });
        }
      },
    };
  }

  async function pass(ms: number): Promise<void> {
    const before = checks;
    clock.turn(ms);
    while (checks === before) await systemClock.sleep(1);
    await settled();
  }

  it('is checked every second, and a revoked key ends a silent stream', async () => {
    const { streamLogs } = bell();
    await withStream(streamLogs, async (messages) => {
      const iterator = messages[Symbol.asyncIterator]();
      await iterator.next();
      for (let second = 0; second < 3; second++) await pass(STREAM_CHECK_MS);
      expect(checks).to.equal(4);
      const end = iterator.next().then(
        () => 'a message',
        (error: unknown) => error,
      );
      verdict = 'revoked';
      clock.turn(STREAM_CHECK_MS);
      expect(await end).to.include({ kind: 'unauthorized', message: UNAUTHORIZED_MESSAGE });
    });
  });

  it('keeps its stream while the check cannot be made', async () => {
    const { streamLogs, ring } = bell();
    await withStream(streamLogs, async (messages) => {
      const iterator = messages[Symbol.asyncIterator]();
      await iterator.next();
      verdict = 'away';
      await pass(STREAM_CHECK_MS);
      const next = iterator.next();
      ring();
      expect((await next).done).to.equal(false);
    });
  });

  it('is checked while the messages of an upload come, and a revoked key ends the upload', async () => {
    let received = 0;
    let end: unknown;
    let callerNow: () => Caller | undefined = () => undefined;
    const writeFile: ServiceImpl<typeof FileService>['writeFile'] = async (messages, context) => {
      callerNow = () => callOf(context).caller;
      try {
        for await (const message of messages) received += message.data.length;
      } catch (error) {
        end = error;
        throw error;
      }
      return {};
    };
    await withClient(FileService, { writeFile }, async (client, options) => {
      async function* drip(): AsyncGenerator<MessageInitShape<typeof WriteFileRequestSchema>> {
        yield { name: 'one', path: '/sdcard/a', data: Buffer.from('a') };
        await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
      }
      const uploaded = client.writeFile(drip(), options).then(
        () => 'a response',
        (error: unknown) => error,
      );
      while (received === 0) await systemClock.sleep(1);
      keyId = 'key_2';
      await pass(STREAM_CHECK_MS);
      expect(callerNow()?.keyId).to.equal('key_2');
      verdict = 'revoked';
      clock.turn(STREAM_CHECK_MS);
      expect(await uploaded).to.include({ kind: 'unauthorized', message: UNAUTHORIZED_MESSAGE });
      expect(end).to.include({ kind: 'unauthorized' });
    });
  });

  it('is not checked any more once the stream is over', async () => {
    await withStream(
      async function* () {
        yield {};
      },
      async (messages) => {
        for await (const message of messages) expect(message).not.to.equal(undefined);
        await systemClock.sleep(10);
        expect(clock.timers).to.equal(0);
      },
    );
  });

  it('is ended and checked no more when its reader leaves between two messages', async () => {
    const gone = new AbortController();
    let ended = false;
    const messages = (async function* () {
      try {
        for (;;) yield 'message';
      } finally {
        ended = true;
      }
    })();
    const reading = whileAllowed(messages, async () => undefined, clock, gone.signal)[Symbol.asyncIterator]();
    await reading.next();
    expect(clock.timers).to.equal(1);
    gone.abort();
    await systemClock.sleep(10);
    expect(ended).to.equal(true);
    expect(clock.timers).to.equal(0);
  });

  it('keeps no message of a stream that goes on', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const sent: WeakRef<object>[] = [];
    const over = new AbortController();
    const messages = (async function* () {
      for (let at = 0; at < 50; at++) {
        const message = { text: 'x'.repeat(10_000) };
        sent.push(new WeakRef(message));
        yield message;
      }
      // A weak reference holds its target until the task in which it was made ends.
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    })();
    const until = whileAllowed(messages, async () => undefined, clock, over.signal);
    for await (const message of until) expect(message).not.to.equal(undefined);
    over.abort();
    expect(sent.filter((one) => one.deref() !== undefined).length).to.be.lessThan(5);
  });
});
