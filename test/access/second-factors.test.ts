import { expect } from 'chai';
import { generateSync } from 'otplib';
import { until } from '../../testing/until.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { cookieOf, operator, PanelClient, signIn, signUp } from './people.js';

const PASSWORD = 'correct horse';
const CONFIRM = 'Confirm that it is you: POST /v1/session/confirm.';

/** Returns the code of an app; `steps` of 30 s ahead. A code works once, and one step early. */
function codeOf(secret: string, steps: number): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps });
}

describe('second factors by REST', () => {
  let world: World;
  let anyone: RestClient;
  let ann: PanelClient;
  let recoveryCodes: string[];

  before(async () => {
    world = await startWorld();
    anyone = new RestClient(world.mesh.url, undefined);
  });
  after(() => world.close());

  beforeEach(async () => {
    ann = await signUp(world, `${crypto.randomUUID()}@example.com`, PASSWORD);
  });

  const email = async () => (await ann.ask('GET', '/v1/account')).body.account.email as string;

  /** Adds an app, whose code of the present step is used by that. */
  async function addApp(name = 'Phone'): Promise<{ id: string; secret: string; used: string }> {
    const begun = await ann.ask('POST', '/v1/account/second-factors', { kind: 'totp', name });
    expect(begun.status).to.equal(201);
    const { id, totp } = begun.body;
    const code = codeOf(totp.secret, 0);
    const confirmed = await ann.ask('POST', `/v1/account/second-factors/${id}/confirm`, { code });
    expect(confirmed.body.second_factor).to.include({ id, kind: 'totp', name });
    recoveryCodes = confirmed.body.recovery_codes;
    return { id, secret: totp.secret, used: code };
  }

  /** Makes the last confirmation of a person's sessions eleven minutes old. */
  async function age(): Promise<void> {
    const person = await world.database.collection('people').findOne({ email: await email() });
    const confirmedAt = new Date(Date.now() - 11 * 60_000);
    await world.database.collection('sessions').updateMany({ personId: person?._id }, { $set: { confirmedAt } });
    // The edge remembers callers for a second.
    await until(async () => (await ann.ask('DELETE', '/v1/keys/key_none')).status === 403);
  }

  it('are asked for at sign-in, without a cookie before', async () => {
    const { secret, used } = await addApp();
    const first = await anyone.post('/v1/session', { email: await email(), password: PASSWORD });
    expect(first.status).to.equal(201);
    expect(first.headers.get('set-cookie')).to.equal(null);
    expect(first.body).to.have.all.keys('second_factor');
    expect(first.body.second_factor.kinds).to.deep.equal(['totp']);
    const { token } = first.body.second_factor;
    const wrong = await anyone.post('/v1/session/second-factor', { token, code: used });
    expect(wrong.status).to.equal(401);
    const right = await anyone.post('/v1/session/second-factor', { token, code: codeOf(secret, 1) });
    expect(right.status).to.equal(201);
    expect(right.body).to.have.all.keys('account');
    const panel = new PanelClient(world.mesh.url, cookieOf(right));
    expect((await panel.ask('GET', '/v1/account')).body.member).to.include({ second_factor: true });
  });

  it('are listed without their secrets, and end the other sessions', async () => {
    const other = await signIn(world, await email(), PASSWORD);
    const { id, secret } = await addApp('Ann’s phone');
    expect((await other.ask('GET', '/v1/account')).status).to.equal(401);
    const list = await ann.ask('GET', '/v1/account/second-factors');
    expect(list.body).to.deep.include({ recovery_codes_left: 10, required: false });
    expect(list.body.second_factors).to.have.lengthOf(1);
    expect(list.bytes.toString()).not.to.contain(secret);
    const people = JSON.stringify(await world.database.collection('people').find().toArray());
    for (const code of recoveryCodes) expect(people).not.to.contain(code.replaceAll('-', ''));
    expect((await ann.ask('DELETE', `/v1/account/second-factors/${id}`)).status).to.equal(204);
    await signIn(world, await email(), PASSWORD);
  });

  it('are asked for again after 10 minutes, by what changes access or deletes', async () => {
    const { secret } = await addApp();
    const key = { name: 'ci', scope: 'control', devices: ['*'] };
    expect((await ann.ask('POST', '/v1/keys', key)).status).to.equal(201);
    await age();
    for (const [method, path, body] of [
      ['POST', '/v1/keys', key],
      ['POST', '/v1/account/password', { password: PASSWORD, new_password: 'staple battery horse' }],
      ['POST', '/v1/account/invitations', { email: 'bob@example.com', role: 'viewer' }],
      ['POST', '/v1/account/recovery-codes', {}],
      ['DELETE', '/v1/account/invitations/inv_0000000000000000000000000', undefined],
      ['DELETE', '/v1/devices/demo', undefined],
      ['POST', '/v1/leases', { device: 'demo', at_end: 'delete' }],
    ] as const) {
      const refused = await ann.ask(method, path, body);
      expect([refused.status, refused.body.message], path).to.deep.equal([403, CONFIRM]);
    }
    expect((await ann.ask('GET', '/v1/devices')).status).to.equal(200);
    const asked = await ann.ask('POST', '/v1/session/confirm', {});
    expect(asked.body.confirmed).to.equal(false);
    expect(asked.body.challenge.kinds).to.deep.equal(['totp']);
    // The challenge of a session ends no sign-in.
    const { token } = asked.body.challenge;
    const stolen = await anyone.post('/v1/session/second-factor', { token, code: codeOf(secret, 1) });
    expect(stolen.status).to.equal(401);
    expect((await ann.ask('POST', '/v1/session/confirm', { code: 'wrong' })).status).to.equal(400);
    const confirmed = await ann.ask('POST', '/v1/session/confirm', { code: codeOf(secret, 1) });
    expect(confirmed.body).to.deep.equal({ confirmed: true });
    expect((await ann.ask('POST', '/v1/keys', key)).status).to.equal(201);
    expect((await ann.ask('DELETE', '/v1/devices/demo')).status).to.equal(404);
  });

  it('are not asked for from people without one, nor from keys', async () => {
    const key = await ann.createKey();
    const person = await world.database.collection('people').findOne({ email: await email() });
    const old = new Date(Date.now() - 86_400_000);
    await world.database.collection('sessions').updateMany({ personId: person?._id }, { $set: { confirmedAt: old } });
    expect((await ann.ask('DELETE', '/v1/devices/demo')).status).to.equal(404);
    await addApp();
    await age();
    expect((await new RestClient(world.mesh.url, key).ask('DELETE', '/v1/devices/demo')).status).to.equal(404);
  });

  it('are required where the account says so, by all but the routes that help', async () => {
    const key = await ann.createKey();
    expect((await ann.ask('PATCH', '/v1/account', { require_second_factor: true })).status).to.equal(200);
    const refused = await ann.ask('GET', '/v1/devices');
    expect(refused.status).to.equal(403);
    expect(refused.body.message).to.include('POST /v1/account/second-factors');
    for (const path of ['/v1/account', '/v1/accounts', '/v1/sessions', '/v1/account/second-factors'])
      expect((await ann.ask('GET', path)).status, path).to.equal(200);
    expect((await new RestClient(world.mesh.url, key).get('/v1/devices')).status).to.equal(200);
    const { id } = await addApp();
    expect((await ann.ask('GET', '/v1/devices')).status).to.equal(200);
    const last = await ann.ask('DELETE', `/v1/account/second-factors/${id}`);
    expect(last.status).to.equal(403);
    expect(last.body.message).to.include('last one');
  });

  it('are removed by the operator for someone who lost them', async () => {
    await addApp();
    const lost = await email();
    expect(await operator(world).removeSecondFactors({ email: lost })).to.include({ removed: 1 });
    expect((await ann.ask('GET', '/v1/account')).status).to.equal(401);
    await signIn(world, lost, PASSWORD);
  });

  it('by passkey need the address of the service', async () => {
    const methods = await anyone.get('/v1/session/methods');
    expect(methods.body).to.include({ password: true, passkey: false });
    expect((await anyone.post('/v1/session/passkey', {})).status).to.equal(400);
  });
});
