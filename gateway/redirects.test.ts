import { expect } from 'chai';
import { ApiError } from '../kit/errors/api-error.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

const LOGIN = 'L'.repeat(43);
const SESSION = `cps_${'a'.repeat(43)}`;

describe('routes that redirect', () => {
  let world: EdgeWorld;
  let finished: { code?: string | undefined; loginToken?: string | undefined }[];
  const open = async (options: { behindProxy?: boolean } = {}): Promise<void> => {
    finished = [];
    const oidc = {
      beginOidcSignIn: () => ({
        redirect: { location: 'https://login.example.com/authorize?a=b' },
        login: { token: LOGIN },
      }),
      finishOidcSignIn: ({ code, loginToken }: { code?: string | undefined; loginToken?: string | undefined }) => {
        finished.push({ code, loginToken });
        if (code === 'bad') throw new ApiError('rate_limited', 'Too many. Try again in 9 s.', { retryAfterS: 9 });
        return { redirect: { location: '/devices' }, cookie: { token: SESSION, maxAgeS: 60 }, login: {} };
      },
    };
    world = await startEdge({ oidc }, options);
  };
  afterEach(() => world.close());

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(world.base + path, { headers, redirect: 'manual' });

  it('send a browser on with 303, without a body, and with the cookie of the sign-in', async () => {
    await open();
    const response = await get('/v1/session/oidc');
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal('https://login.example.com/authorize?a=b');
    expect(response.headers.get('set-cookie')).to.equal(
      `cp_login=${LOGIN}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`,
    );
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(await response.text()).to.equal('');
  });

  it('hand over the cookie, leave out parameters that are not theirs, and forget the cookie', async () => {
    await open();
    const path = '/v1/session/oidc/callback?code=abc&session_state=1&hd=example.com';
    const response = await get(path, { cookie: `cp_login=${LOGIN}` });
    expect(finished).to.deep.equal([{ code: 'abc', loginToken: LOGIN }]);
    expect(response.headers.get('location')).to.equal('/devices');
    expect(response.headers.getSetCookie()).to.deep.equal([
      `cp_session=${SESSION}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`,
      'cp_login=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
  });

  it('take over https only the cookie that no neighbouring domain can set', async () => {
    await open({ behindProxy: true });
    const https = { 'x-forwarded-proto': 'https' };
    expect((await get('/v1/session/oidc', https)).headers.get('set-cookie')).to.equal(
      `__Host-cp_login=${LOGIN}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure`,
    );
    await get('/v1/session/oidc/callback?code=1', { ...https, cookie: `cp_login=${LOGIN}` });
    await get('/v1/session/oidc/callback?code=2', { ...https, cookie: `__Host-cp_login=${LOGIN}` });
    expect(finished.map(({ loginToken }) => loginToken)).to.deep.equal([undefined, LOGIN]);
  });

  it('let nobody set the field of the cookie by the query', async () => {
    await open();
    await get(`/v1/session/oidc/callback?code=1&login_token=${LOGIN}`);
    await get('/v1/session/oidc/callback?code=2', { cookie: `cp_login=${'x'.repeat(1_280)}` });
    expect(finished.map(({ loginToken }) => loginToken)).to.deep.equal([undefined, undefined]);
  });

  it('end on the sign-in page when they fail, never in JSON and never elsewhere', async () => {
    await open();
    const refused = {
      '/v1/session/oidc/callback?code=bad': '/sign-in#error=rate_limited',
      '/v1/session/oidc/callback?code=1&code=2': '/sign-in#error=bad_request',
      [`/v1/session/oidc/callback?state=${'x'.repeat(2_560)}`]: '/sign-in#error=bad_request',
      '/v1/session/oidc/sign-out': '/sign-in#error=not_found',
      '/v1/session/oidc?return_to=https://evil.example.com': '/sign-in#error=bad_request',
      '/v1/session/oidc?return_to=//evil.example.com': '/sign-in#error=bad_request',
      '/v1/session/oidc?return_to=/%5Cevil.example.com': '/sign-in#error=bad_request',
      '/v1/session/link': '/sign-in#error=bad_request',
    };
    for (const [path, location] of Object.entries(refused)) {
      const response = await get(path);
      expect([response.status, response.headers.get('location')], path).to.deep.equal([303, location]);
      expect(await response.text(), path).to.equal('');
    }
  });
});
