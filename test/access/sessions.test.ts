import { expect } from 'chai';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { cookieOf, operator, signIn, signUp } from './people.js';

describe('accounts and sessions', () => {
  let world: World;
  let anyone: RestClient;

  before(async () => {
    world = await startWorld();
    anyone = new RestClient(world.mesh.url, undefined);
  });
  after(() => world.close());

  it('shows the account to its keys and its panel', async () => {
    const expected = { email: 'owner@localhost', balance: '10.00', trial: { state: 'unused', minutes_left: 0 } };
    const quotas = { devices: { used: 0 }, storage_bytes: { used: 0 } };
    expect((await world.api.get('/v1/account')).body.account).to.deep.equal({ ...expected, quotas });
    const panel = await signIn(world);
    expect((await panel.ask('GET', '/v1/account')).body.account).to.deep.equal({ ...expected, quotas });
  });

  it('makes an account with a trial and no balance, once for an e-mail in any case', async () => {
    const response = await anyone.post('/v1/account', { email: 'New@Example.com', password: 'long enough' });
    expect(response.status).to.equal(201);
    expect(response.body.account).to.deep.equal({
      email: 'new@example.com',
      balance: '0.00',
      trial: { state: 'unused', minutes_left: 30 },
      quotas: { devices: { used: 0 }, storage_bytes: { used: 0 } },
    });
    const again = await anyone.post('/v1/account', { email: 'new@example.COM', password: 'other one' });
    expect(again.status).to.equal(400);
    expect(again.body.message).to.contain('email');
    for (const body of [
      { email: 'no address', password: 'long enough' },
      { email: 'a@b.example', password: 'short' },
      { email: 'a@b.example' },
      { email: 'a@b.example', password: 'long enough', admin: true },
    ]) {
      const refused = await anyone.post('/v1/account', body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect(refused.bytes.toString()).not.to.contain('long enough').and.not.to.contain('"short"');
    }
  });

  it('signs in with a cookie that scripts cannot read and that is not in the body', async () => {
    const response = await anyone.post('/v1/session', { email: 'OWNER@localhost', password: world.password });
    expect(response.status).to.equal(201);
    expect(Object.keys(response.body)).to.deep.equal(['account']);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).to.match(/^cp_session=cps_[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
    expect(response.headers.get('cache-control')).to.equal('no-store');
  });

  it('refuses a wrong password and an unknown e-mail with the same words', async () => {
    const wrong = await anyone.post('/v1/session', { email: world.email, password: 'wrong password' });
    const unknown = await anyone.post('/v1/session', { email: 'nobody@example.com', password: 'wrong password' });
    expect([wrong.status, unknown.status]).to.deep.equal([401, 401]);
    expect(wrong.body).to.deep.equal(unknown.body);
    expect(wrong.headers.get('set-cookie')).to.equal(null);
  });

  it('takes a cookie for changes only from its own origin', async () => {
    const panel = await signIn(world);
    const key = { name: 'x', scope: 'read', devices: ['*'] };
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await anyone.post('/v1/keys', key, { headers: { cookie: panel.cookie, ...headers } })).status;
    expect(await from({ origin: 'https://evil.example' })).to.equal(403);
    expect(await from({ origin: 'null' })).to.equal(403);
    expect(await from({ origin: world.mesh.url.replace(/\d+$/, '1') })).to.equal(403);
    expect(await from({ 'sec-fetch-site': 'cross-site' })).to.equal(403);
    expect(await from({ 'sec-fetch-site': 'same-site' })).to.equal(403);
    expect(await from({ 'sec-fetch-site': 'same-origin' })).to.equal(201);
    expect(await from({ origin: world.mesh.url })).to.equal(201);
    expect(await from({ origin: world.mesh.url.replace('http:', 'https:') })).to.equal(403);
    expect(await from({}), 'a program that keeps the cookie itself').to.equal(201);
    expect((await anyone.get('/v1/keys', { headers: { cookie: panel.cookie } })).status).to.equal(200);
  });

  it('signs out here, or everywhere, at once', async () => {
    const [one, two, three] = [await signIn(world), await signIn(world), await signIn(world)];
    const status = async (panel: typeof one): Promise<number> => (await panel.ask('GET', '/v1/account')).status;
    expect(await status(one)).to.equal(200);
    const out = await one.ask('DELETE', '/v1/session');
    expect(out.status).to.equal(204);
    expect(out.bytes).to.have.length(0);
    expect(out.headers.get('set-cookie')).to.contain('cp_session=; Path=/; Max-Age=0');
    expect(await Promise.all([status(one), status(two), status(three)])).to.deep.equal([401, 200, 200]);
    expect((await two.ask('DELETE', '/v1/session?everywhere=true')).status).to.equal(204);
    expect(await Promise.all([status(two), status(three)])).to.deep.equal([401, 401]);
    expect((await one.ask('DELETE', '/v1/session')).status).to.equal(401);
  });

  it('lists where the owner is signed in, and ends one of those sessions', async () => {
    const owner = await signUp(world, 'lists@example.com');
    const other = await signIn(world, 'lists@example.com', 'correct horse');
    const { body } = await owner.ask('GET', '/v1/sessions');
    expect(body.sessions).to.have.length(2);
    const [newer, older] = body.sessions as Record<string, unknown>[];
    expect(newer).to.include({ address: '127.0.0.1', current: false });
    expect(older).to.include({ address: '127.0.0.1', current: true });
    for (const session of [newer!, older!]) {
      expect(session).to.have.all.keys('id', 'created_at', 'last_used_at', 'address', 'current');
    }
    const end = (id: unknown) => owner.ask('DELETE', `/v1/sessions/${String(id)}`);
    expect((await end(newer!['id'])).status).to.equal(204);
    expect((await other.ask('GET', '/v1/account')).status).to.equal(401);
    expect((await end(newer!['id'])).status).to.equal(404);
    // Another account's.
    const foreign = (await (await signIn(world)).ask('GET', '/v1/sessions')).body.sessions[0].id as string;
    const refused = await end(foreign);
    expect([refused.status, refused.body.error]).to.deep.equal([404, 'not_found']);
    expect((await owner.ask('GET', '/v1/account')).status).to.equal(200);
  });

  it('changes the password for a caller that knows it, and ends the other sessions', async () => {
    const email = 'changes@example.com';
    const owner = await signUp(world, email);
    const other = await signIn(world, email, 'correct horse');
    const change = (password: string, newPassword: string) =>
      owner.ask('POST', '/v1/account/password', { password, new_password: newPassword });
    const wrong = await change('not the password', 'battery staple');
    expect([wrong.status, wrong.body.error]).to.deep.equal([400, 'bad_request']);
    expect((await change('correct horse', 'short')).status).to.equal(400);
    expect((await other.ask('GET', '/v1/account')).status).to.equal(200);
    const changed = await change('correct horse', 'battery staple');
    expect([changed.status, changed.bytes.length]).to.deep.equal([204, 0]);
    expect((await owner.ask('GET', '/v1/account')).status).to.equal(200);
    expect((await other.ask('GET', '/v1/account')).status).to.equal(401);
    const old = await anyone.post('/v1/session', { email, password: 'correct horse' });
    expect(old.status).to.equal(401);
    await signIn(world, email, 'battery staple');
  });

  it('bounds guesses of the password through an open session', async () => {
    const owner = await signUp(world, 'left-open@example.com');
    const body = { password: 'a wrong guess', new_password: 'battery staple' };
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      statuses.push((await owner.ask('POST', '/v1/account/password', body)).status);
    }
    expect(statuses).to.deep.equal([...Array<number>(10).fill(400), 429, 429]);
  });

  it('lets the operator replace a lost password, which ends all sessions', async () => {
    const owner = await signUp(world, 'lost@example.com');
    const { account } = await operator(world).resetPassword({ email: 'lost@example.com', password: 'battery staple' });
    expect(account?.email).to.equal('lost@example.com');
    expect((await owner.ask('GET', '/v1/account')).status).to.equal(401);
    await signIn(world, 'lost@example.com', 'battery staple');
  });

  it('keeps sessions as hashes only', async () => {
    const response = await anyone.post('/v1/session', { email: world.email, password: world.password });
    const token = cookieOf(response).split('=')[1] ?? '';
    expect(token).to.have.length(47);
    for (const name of ['sessions', 'accounts', 'keys']) {
      const stored = await world.database.collection(name).find().toArray();
      expect(stored).not.to.have.length(0);
      const text = JSON.stringify(stored);
      for (const secret of [token, world.password, world.key]) expect(text).not.to.contain(secret);
    }
  });

  it('stops guessing, with the time of the next try', async () => {
    await signUp(world, 'guessed@example.com');
    const guess = () => anyone.post('/v1/session', { email: 'guessed@example.com', password: 'a wrong guess' });
    const statuses = (await Promise.all(Array.from({ length: 12 }, guess))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).to.have.length(10);
    const refused = await guess();
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 900);
    const right = await anyone.post('/v1/session', { email: 'guessed@example.com', password: 'correct horse' });
    expect(right.status).to.equal(429);
    await signIn(world);
  });

  it('closes sign-up when the operator wants so', async () => {
    const closed = await startWorld({ signUpOpen: false });
    try {
      const response = await new RestClient(closed.mesh.url, undefined).post('/v1/account', {
        email: 'a@example.com',
        password: 'long enough',
      });
      expect(response.status).to.equal(403);
      expect(response.body.message).to.contain('operator');
      // So pages offer no sign-up.
      const signUp = async ({ mesh }: World) =>
        (await new RestClient(mesh.url, undefined).get('/v1/prices')).body.sign_up;
      expect([await signUp(world), await signUp(closed)]).to.deep.equal([true, false]);
    } finally {
      await closed.close();
    }
  });
});
