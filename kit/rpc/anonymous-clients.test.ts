import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { Code } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { MemberRole, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { beginCall, endOfCall } from '../../testing/raw-calls.js';
import { systemClock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { callChecks } from './interceptors.js';
import { listenRpc, type RpcLimits, type RpcListener } from './listen.js';

const TOKEN = 'a token of this test with 32 characters';
const INTERNAL = '/cloudphone.access.v1.AccessService/Authenticate';
const PUBLIC = '/cloudphone.access.v1.AccountService/GetAccount';
const HEALTH = '/grpc.health.v1.Health/Check';
const WHOLE = Buffer.alloc(5);
const RIGHT = { authorization: 'Bearer right' };
const WRONG = { authorization: 'Bearer wrong' };

// Some services verify a credential themselves. The others learn from the device service, while they serve a call, whether it is valid.
for (const authenticates of [true, false])
  describe(`calls without a valid credential at a gRPC port ${authenticates ? 'that authenticates' : 'that only passes keys on'}`, () => {
    let listener: RpcListener;
    let session: ClientHttp2Session;
    let looked: number;

    async function start(limits: Partial<RpcLimits>, guarded = true): Promise<void> {
      const lookUp = async (authorization: string): Promise<never> => {
        looked++;
        if (authorization !== RIGHT.authorization) throw new ApiError('unauthorized', 'This key is not known.');
        return { accountId: 'acc_1', scope: Scope.PERSON, role: MemberRole.OWNER, allow: [] } as never;
      };
      const checks = callChecks({
        log: silentLog,
        clock: systemClock,
        metrics: new Registry(),
        meshToken: guarded ? TOKEN : undefined,
        ...(authenticates && { authenticate: lookUp }),
      });
      const routes: Parameters<typeof listenRpc>[0]['routes'] = (router) => {
        router.service(AccessService, { authenticate: () => ({}) });
        router.service(AccountService, {
          getAccount: async (_, { requestHeader }) => {
            if (!authenticates) await lookUp(requestHeader.get('authorization') ?? '');
            return { account: { email: 'a' } };
          },
        });
      };
      const service = { name: 'the access service', contracts: [AccessService, AccountService], routes, ...checks };
      listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded, limits });
      session = dial();
    }
    const dial = (): ClientHttp2Session => connect(`http://127.0.0.1:${listener.port}`).on('error', () => undefined);
    const statusOf = async (path: string, headers = {}, on = session): Promise<number> => {
      const stream = beginCall(on, path, headers);
      stream.end(WHOLE);
      return (await endOfCall(stream)).status;
    };

    beforeEach(() => (looked = 0));
    afterEach(async () => {
      session.destroy();
      await listener.close();
    });

    it('are refused beyond a rate for each address, without a look-up, while calls with a valid credential are served', async () => {
      await start({ maxAnonymousCalls: 10 });
      expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
      const calls = [HEALTH, PUBLIC, INTERNAL, '/no.such.Service/Rpc'].map((path) => [path, {}] as const);
      for (let count = 0; count < 10; count++) {
        const [path, headers] = calls[count] ?? [PUBLIC, WRONG];
        if (path.startsWith('/no.')) beginCall(session, path).end(WHOLE);
        else expect(await statusOf(path, headers), path).not.to.equal(Code.ResourceExhausted);
      }
      const lookedBefore = looked;
      for (const [path, headers] of [...calls.slice(0, 3), [PUBLIC, WRONG], [PUBLIC, { authorization: 'Bearer new' }]])
        expect(await statusOf(path as string, headers), JSON.stringify(headers)).to.equal(Code.ResourceExhausted);
      expect(looked).to.equal(lookedBefore);
      for (let count = 0; count < 20; count++) expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
      expect(await statusOf(INTERNAL, { 'x-mesh-token': TOKEN })).to.equal(0);
    });

    it('are not counted where everybody on the machine may call internal rpcs, as these calls may be our own', async () => {
      await start({ maxAnonymousCalls: 10 }, false);
      for (let count = 0; count < 30; count++) expect(await statusOf(INTERNAL)).to.equal(0);
    });

    it('do not prove a credential valid by an rpc that is open to anybody', async () => {
      await start({ maxAnonymousCalls: 10 });
      for (let count = 0; count < 10; count++) expect(await statusOf(HEALTH, WRONG)).to.equal(0);
      expect(await statusOf(PUBLIC, WRONG)).to.equal(Code.ResourceExhausted);
    });

    it('count again when their credential is not valid any more', async () => {
      await start({ maxAnonymousCalls: 10 });
      const right = RIGHT.authorization;
      expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
      RIGHT.authorization = 'Bearer another';
      try {
        for (let count = 0; count < 10; count++)
          expect(await statusOf(PUBLIC, { authorization: right })).to.equal(Code.Unauthenticated);
        expect(await statusOf(PUBLIC, { authorization: right })).to.equal(Code.ResourceExhausted);
      } finally {
        RIGHT.authorization = right;
      }
    });

    it('end their connection when a hundred of them were reset before their response', async () => {
      await start({ maxFruitlessCalls: 100 });
      const closed = once(session, 'close');
      for (let count = 0; count < 1_000 && !session.destroyed; count++) {
        beginCall(session, PUBLIC, WRONG).close(constants.NGHTTP2_CANCEL);
        if (count % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
      }
      await closed;
      expect(looked).to.be.at.most(100);
      session = dial();
      expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
    });

    it('are the only calls whose resets end a connection', async () => {
      await start({ maxFruitlessCalls: 10 });
      expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
      for (let count = 0; count < 100; count++) beginCall(session, PUBLIC, RIGHT).close(constants.NGHTTP2_CANCEL);
      for (let count = 0; count < 100; count++)
        beginCall(session, INTERNAL, { 'x-mesh-token': TOKEN }).close(constants.NGHTTP2_CANCEL);
      expect(await statusOf(PUBLIC, RIGHT)).to.equal(0);
      expect(session.destroyed).to.equal(false);
    });
  });
