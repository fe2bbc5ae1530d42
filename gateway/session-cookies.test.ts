import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors/api-error.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

const TOKEN = `cps_${'a'.repeat(43)}`;

const authenticate: Authenticate = async (authorization) => {
  if (authorization !== `Session ${TOKEN}`) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  return create(CallerSchema, { accountId: 'acc_1', keyId: 'ses_1', scope: Scope.PERSON, allDevices: true });
};

describe('session cookies', () => {
  let world: EdgeWorld;
  const open = async (behindProxy: boolean): Promise<void> => {
    const session = {
      signIn: () => ({ cookie: { token: TOKEN, maxAgeS: 60 } }),
      signOut: () => ({ cookie: { token: '', maxAgeS: 0 } }),
    };
    world = await startEdge({ session, model: { listModels: () => ({}) } }, { authenticate, behindProxy });
  };
  afterEach(() => world.close());

  const ask = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<Response> =>
    fetch(world.base + path, { method, headers, ...(body !== undefined && { body }) });
  const signIn = (headers: Record<string, string> = {}): Promise<Response> =>
    ask('POST', '/v1/session', { 'content-type': 'application/json', ...headers }, '{"email":"a@b.c","password":"x"}');

  it('are Secure and have the prefix where a proxy in front has https', async () => {
    await open(true);
    const secure = (await signIn({ 'x-forwarded-proto': 'https' })).headers.get('set-cookie');
    expect(secure).to.equal(`__Host-cp_session=${TOKEN}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`);
    const plain = (await signIn({ 'x-forwarded-proto': 'http' })).headers.get('set-cookie');
    expect(plain).to.equal(`cp_session=${TOKEN}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`);
    const models = async (name: string): Promise<number> =>
      (await ask('GET', '/v1/models', { cookie: `${name}=${TOKEN}`, 'x-forwarded-proto': 'https' })).status;
    expect(await models('__Host-cp_session')).to.equal(200);
    // A neighbouring domain could have set this one.
    expect(await models('cp_session')).to.equal(401);
  });

  it('are as they were without a proxy, as every client can write X-Forwarded-Proto', async () => {
    await open(false);
    expect((await signIn({ 'x-forwarded-proto': 'https' })).headers.get('set-cookie')).to.match(/^cp_session=/);
  });

  it('allow programs, which send no Origin, a change that no form of another site can cause', async () => {
    await open(false);
    const cookie = `cp_session=${TOKEN}`;
    const change = async (headers: Record<string, string>): Promise<number> =>
      (await ask('DELETE', '/v1/session', { cookie, ...headers })).status;
    expect(await change({})).to.equal(403);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      expect(await change({ 'content-type': type }), type).to.equal(403);
    }
    expect(await change({ 'content-type': 'application/json' })).to.equal(204);
    expect(await change({ 'x-requested-with': 'a program' })).to.equal(204);
    expect(await change({ origin: world.base })).to.equal(204);
    const refused = await ask('DELETE', '/v1/session', { cookie });
    expect(await refused.text()).to.contain('Content-Type: application/json');
    expect((await ask('GET', '/v1/models', { cookie })).status).to.equal(200);
  });
});
