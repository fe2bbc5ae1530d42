import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Call, ClientGone, OpenCall } from '../call/call.js';
import { systemClock } from '../async/clock.js';
import { silentLog } from '../log/log.js';
import { rpcOptions } from './call-crossing.js';
import { callOf } from './context.js';
import { serverInterceptors } from './interceptors.js';
import { listenRpc, type RpcListener } from './listen.js';
import type { RpcService } from './rpc-service.js';
import { connectTo, joinInMemory } from './transport.js';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

for (const way of ['over a socket', 'in memory'] as const) {
  describe(`a call that crosses an rpc ${way}`, () => {
    let listener: RpcListener | undefined;
    let transport: Transport;
    let received: Call;
    let arrived: Promise<void>;
    let serve: () => Promise<object>;

    beforeEach(async () => {
      let arrive: () => void = () => undefined;
      arrived = new Promise((resolve) => (arrive = resolve));
      serve = async () => ({});
      const service: RpcService = {
        name: 'the access service',
        contracts: [AccessService],
        routes: (router) =>
          void router.service(AccessService, {
            listSubscribers: (_request, context) => {
              received = callOf(context);
              arrive();
              return serve();
            },
          }),
        interceptors: serverInterceptors({
          log: silentLog,
          clock: systemClock,
          metrics: new Registry(),
          authenticate: () => Promise.reject(new Error('not used here')),
          meshToken: undefined,
        }),
      };
      if (way === 'in memory') transport = joinInMemory(service, undefined);
      else {
        listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false });
        transport = connectTo({
          url: `http://127.0.0.1:${listener.port}`,
          service: service.name,
          meshToken: undefined,
        });
      }
    });
    afterEach(() => listener?.close());

    const ask = (options: CallOptions) => createClient(AccessService, transport).listSubscribers({}, options);
    const open = (timeoutMs = 10_000) =>
      new OpenCall({
        clock: systemClock,
        requestId: 'req_1',
        trace: { traceparent: TRACEPARENT, tracestate: 'a=b' },
        clientAddress: '192.0.2.1',
        timeoutMs,
      });
    const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
    const aborted = ({ signal }: Call) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve(signal.reason);
        signal.addEventListener('abort', () => resolve(signal.reason));
      });

    it('keeps request id, trace, address and deadline', async () => {
      const call = open();
      await ask(rpcOptions(call));
      expect(received).to.deep.include({ requestId: 'req_1', trace: call.trace, clientAddress: '192.0.2.1' });
      expect([received.authorization, received.caller]).to.deep.equal([undefined, undefined]);
      expect(received.remainingMs()).to.be.within(5_000, 10_001);
      call.end();
    });

    it('is a new one, without a deadline, where the client sent none', async () => {
      await ask({ headers: { traceparent: 'nonsense', tracestate: 'a=b', 'x-request-id': 'x'.repeat(129) } });
      expect(received.requestId).to.match(/^req_[0-9a-f]{32}$/);
      expect(received.trace.traceparent).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(received.trace).not.to.have.property('tracestate');
      expect(received.remainingMs()).to.equal(Infinity);
    });

    it('ends on both sides when the client hangs up', async () => {
      serve = () => new Promise(() => undefined);
      const call = open();
      const failure = failureOf(ask(rpcOptions(call)));
      await arrived;
      call.hangUp();
      expect(await failure).to.be.instanceOf(ClientGone);
      expect(await aborted(received)).to.be.instanceOf(ClientGone);
      call.end();
    });

    it('ends on both sides when its time is over, for the client with timeout', async () => {
      serve = () => new Promise(() => undefined);
      const call = open(60);
      const failure = failureOf(ask(rpcOptions(call)));
      await arrived;
      expect(await failure).to.have.property('kind', 'timeout');
      // Here both sides see the end at about the same time: the service by its own timer, or by the client's cancellation.
      await aborted(received);
      call.end();
    });
  });
}
