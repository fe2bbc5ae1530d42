import { expect } from 'chai';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { cookieOf, signIn, signUp } from './people.js';

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
    expect((await world.api.get('/v1/account')).body.account).to.deep.equal(expected);
    const panel = await signIn(world);
    expect((await panel.ask('GET', '/v1/account')).body.account).to.deep.equal(expected);
  });

  it('makes an account with a trial and no balance, once for an e-mail in any case', async () => {
    const response = await anyone.post('/v1/account', { email: 'New@Example.com', password: 'long enough' });
    expect(response.status).to.equal(201);
    expect(response.body.account).to.deep.equal({
      email: 'new@example.com',
      balance: '0.00',
      trial: { state: 'unused', minutes_left: 30 },
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
    expect(cookie).to.match(/^cp_session=cps_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
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
    } finally {
      await closed.close();
    }
  });
});
