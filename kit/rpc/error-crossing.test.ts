import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createClient, type ServiceImpl } from '@connectrpc/connect';
import { systemClock } from '../async/clock.js';
import { ApiError, type ErrorKind, errorKinds, INTERNAL_MESSAGE } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { gotNoResponse } from './error-crossing.js';
import { serverInterceptors } from './interceptors.js';
import { listenRpc } from './listen.js';
import type { RpcService } from './rpc-service.js';
import { connectTo, joinInMemory } from './transport.js';

function serviceThat(authenticate: ServiceImpl<typeof AccessService>['authenticate']): RpcService {
  return {
    name: 'the access service',
    contracts: [AccessService],
    routes: (router) => {
      router.service(AccessService, { authenticate });
    },
    interceptors: serverInterceptors({
      log: silentLog,
      clock: systemClock,
      metrics: new Registry(),
      authenticate: async () => {
        throw new Error('nobody is asked here');
      },
      meshToken: undefined,
    }),
  };
}

type Join = (service: RpcService, test: (client: ReturnType<typeof clientOf>) => Promise<void>) => Promise<void>;

const clientOf = (transport: Parameters<typeof createClient>[1]) => createClient(AccessService, transport);

const ways: Record<string, Join> = {
  'in memory': (service, test) => test(clientOf(joinInMemory(service, undefined))),
  'over gRPC': async (service, test) => {
    const listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false });
    try {
      await test(
        clientOf(connectTo({ url: `http://127.0.0.1:${listener.port}`, service: service.name, meshToken: undefined })),
      );
    } finally {
      await listener.close();
    }
  },
};

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

for (const [way, join] of Object.entries(ways)) {
  describe(`errors that cross an rpc ${way}`, () => {
    for (const kind of Object.keys(errorKinds) as ErrorKind[]) {
      if (errorKinds[kind].code === undefined) continue;
      it(`keep kind, text and retry time: ${kind}`, () =>
        join(
          serviceThat(() => {
            throw new ApiError(kind, 'ä text', { retryAfterS: 7 });
          }),
          async (client) => {
            const failure = await failureOf(client.authenticate({}));
            expect(failure).to.be.instanceOf(ApiError);
            expect(failure).to.include({ kind, message: 'ä text', retryAfterS: 7 });
          },
        ));
    }

    it('hide the text of an unexpected error', () =>
      join(
        serviceThat(() => {
          throw new Error('/etc/secret');
        }),
        async (client) => {
          const failure = await failureOf(client.authenticate({}));
          expect(failure).to.include({ kind: 'internal', message: INTERNAL_MESSAGE });
        },
      ));

    it('are timeout when the deadline passes', () =>
      join(
        serviceThat(
          (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
        ),
        async (client) => {
          const failure = await failureOf(client.authenticate({}, { timeoutMs: 30 }));
          expect(failure).to.include({ kind: 'timeout' });
        },
      ));
  });
}

describe('a service that shows another MESH_TOKEN', () => {
  for (const shown of ['wrong', undefined]) {
    it(`is refused, and its callers get a fault of ours: ${shown ?? 'none'}`, async () => {
      const options = { log: silentLog, clock: systemClock, metrics: new Registry() };
      const authenticate = async (): Promise<never> => {
        throw new Error('no caller is looked up here');
      };
      const service = serviceThat(() => ({}));
      service.interceptors = serverInterceptors({ ...options, authenticate, meshToken: 'right' });
      const { caller } = await clientOf(joinInMemory(service, 'right')).authenticate({});
      expect(caller).to.equal(undefined);
      const failure = await failureOf(clientOf(joinInMemory(service, shown)).authenticate({}));
      expect(failure).to.be.instanceOf(ApiError).and.include({ kind: 'internal', message: INTERNAL_MESSAGE });
      expect((failure as Error).cause)
        .to.have.property('message')
        .that.includes('MESH_TOKEN');
      const listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: true });
      try {
        const url = `http://127.0.0.1:${listener.port}`;
        const remote = clientOf(connectTo({ url, service: service.name, meshToken: shown }));
        expect(await failureOf(remote.authenticate({}))).to.include({ kind: 'internal', message: INTERNAL_MESSAGE });
      } finally {
        await listener.close();
      }
    });
  }
});

describe('a service of an older version', () => {
  it('is unavailable to calls that it does not know, and was reached', async () => {
    const service = { ...serviceThat(() => ({})), contracts: [], routes: () => undefined };
    const listener = await listenRpc(service, { host: '127.0.0.1', port: 0, guarded: false });
    try {
      const url = `http://127.0.0.1:${listener.port}`;
      const client = clientOf(connectTo({ url, service: service.name, meshToken: undefined }));
      const failure = await failureOf(client.authenticate({}));
      expect(failure).to.be.instanceOf(ApiError).and.include({
        kind: 'unavailable',
        retryAfterS: 30,
        message:
          'The access service does not know this request yet: it is of an older version, and is being upgraded. Try again later.',
      });
      expect(gotNoResponse(failure as ApiError)).to.equal(false);
    } finally {
      await listener.close();
    }
  });
});

describe('a service that is not there', () => {
  it('is unavailable, without its address', async () => {
    const client = clientOf(
      connectTo({ url: 'http://127.0.0.1:1', service: 'the access service', meshToken: undefined }),
    );
    const failure = await failureOf(client.authenticate({}));
    expect(failure).to.include({ kind: 'unavailable', retryAfterS: 1 });
    expect((failure as Error).message).to.equal('The access service cannot be reached just now. Try again.');
  });
});
