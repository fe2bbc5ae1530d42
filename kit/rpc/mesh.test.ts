import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import { systemClock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import { silentLog } from '../log/log.js';
import { callOf } from './context.js';
import { serverInterceptors } from './interceptors.js';
import type { RpcService } from './rpc-service.js';
import { meshCheck } from './mesh.js';
import { joinInMemory } from './transport.js';

const TOKEN = 'the-token-of-the-mesh-with-32-characters';

describe('the credential between services', () => {
  let seen: string | undefined;
  const service: RpcService = {
    name: 'the device service',
    contracts: [AccountService, AccessService],
    routes: (router) => {
      router.service(AccountService, {
        signUp: (_request, context) => {
          seen = callOf(context).clientAddress;
          return {};
        },
      });
      router.service(AccessService, { listSubscribers: () => ({}) });
    },
    interceptors: serverInterceptors({
      log: silentLog,
      clock: systemClock,
      metrics: new Registry(),
      authenticate: () => Promise.reject(new Error('not used here')),
      meshToken: TOKEN,
    }),
  };
  const signUp = async (token: string | undefined): Promise<string | undefined> => {
    const account = { email: 'ada@example.com', password: 'correct horse battery' };
    const headers = { 'x-client-address': '192.0.2.1' };
    await createClient(AccountService, joinInMemory(service, token)).signUp(account, { headers });
    return seen;
  };

  it('is needed for a client’s address to be believed, as sign-ups are limited by it', async () => {
    expect(await signUp(TOKEN)).to.equal('192.0.2.1');
    expect(await signUp(undefined)).to.equal(undefined);
    expect(await signUp(`${TOKEN}x`)).to.equal(undefined);
  });

  it('is one of two tokens while it is replaced, and the first one is shown', async () => {
    const next = 'the-next-token-of-the-mesh-with-32-characters';
    const shown = (credential: string) => signUp(credential);
    // The service accepts TOKEN: it comes first here, and not there.
    expect(await shown(`${TOKEN}, ${next}`)).to.equal('192.0.2.1');
    expect(await shown(`${next},${TOKEN}`)).to.equal(undefined);
    const check = meshCheck(`${next}, ${TOKEN}`);
    const accepts = (token: string) => check(new Headers({ 'x-mesh-token': token }));
    expect([TOKEN, next, `${next}, ${TOKEN}`, ''].map(accepts)).to.deep.equal([true, true, false, false]);
  });

  it('is not an empty token, where a comma ends the text of a file', () => {
    for (const credential of [`${TOKEN},`, `,${TOKEN}`, ',']) {
      const isOurs = meshCheck(credential);
      expect(isOurs(new Headers({ 'x-mesh-token': '' })), credential).to.equal(false);
      expect(isOurs(new Headers({ 'x-mesh-token': TOKEN })), credential).to.equal(credential !== ',');
    }
  });

  it('is needed for internal rpcs', async () => {
    const ask = (token: string | undefined) =>
      createClient(AccessService, joinInMemory(service, token)).listSubscribers({});
    await ask(TOKEN);
    for (const token of [undefined, `${TOKEN}x`]) {
      const error: unknown = await ask(token).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(ApiError).with.property('kind', 'internal');
      const { cause } = error as ApiError;
      expect(cause).to.be.instanceOf(ConnectError).with.property('code', Code.PermissionDenied);
    }
  });
});
