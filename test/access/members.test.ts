import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { invite, join } from './members.js';
import { cookieOf, joinAccount, operator, PanelClient, signIn, signUp } from './people.js';

const PASSWORD = 'battery staple';

describe('members of an account', () => {
  let world: World;
  let owner: PanelClient;

  beforeEach(async () => {
    world = await startWorld();
    owner = await signIn(world);
  });
  afterEach(() => world.close());

  const nobody = (): RestClient => new RestClient(world.mesh.url, undefined);
  const self = async (panel: PanelClient) => (await panel.ask('GET', '/v1/account')).body.member;
  const emailsOf = async (panel: PanelClient): Promise<string[]> =>
    (await panel.ask('GET', '/v1/account/members')).body.members.map(({ email }: { email: string }) => email);

  it('begin with the person that the account was made for, as its owner', async () => {
    const { body } = await owner.ask('GET', '/v1/account/members');
    expect(body.members).to.have.length(1);
    expect(body.members[0]).to.include({ email: world.email, role: 'owner', second_factor: false });
    expect(body.members[0].devices).to.deep.equal(['*']);
    expect((await self(owner)).id).to.equal(body.members[0].id);
    expect((await world.api.get('/v1/account')).body).not.to.have.property('member');
  });

  it('join by a link that works once, with a password of their own', async () => {
    const { invitation, token } = await invite(owner, { email: 'Ben@Example.com', role: 'viewer' });
    expect(invitation).to.include({ email: 'ben@example.com', role: 'viewer', invited_by: world.email, mailed: false });
    const read = await nobody().post('/v1/invitations/read', { token });
    expect(read.body).to.deep.equal({ email: 'ben@example.com', role: 'viewer', account: world.email, known: false });
    const accepted = await nobody().post('/v1/invitations/accept', { token, password: PASSWORD, name: 'Ben' });
    expect(accepted.status, accepted.bytes.toString()).to.equal(201);
    expect(accepted.body.member).to.include({ email: 'ben@example.com', role: 'viewer', name: 'Ben' });
    for (const [path, body] of [
      ['read', { token }],
      ['accept', { token, password: PASSWORD }],
    ] as const) {
      const again = await nobody().post(`/v1/invitations/${path}`, body);
      expect([again.status, again.body.error], path).to.deep.equal([404, 'not_found']);
    }
    const ben = await signIn(world, 'ben@example.com', PASSWORD);
    expect(await self(ben)).to.include({ email: 'ben@example.com', role: 'viewer' });
    expect((await ben.ask('GET', '/v1/devices')).status).to.equal(200);
    expect(await emailsOf(owner)).to.deep.equal([world.email, 'ben@example.com']);
    expect((await owner.ask('GET', '/v1/account/invitations')).body.invitations).to.deep.equal([]);
  });

  it('that are known elsewhere join with their password, and switch between their accounts', async () => {
    const ann = await signUp(world, 'ann@example.com', PASSWORD);
    const { token } = await invite(owner, { email: 'ann@example.com', role: 'operator' });
    const wrong = await nobody().post('/v1/invitations/accept', { token, password: 'not her password' });
    expect(wrong.status).to.equal(401);
    await until(async () => {
      const { entries } = (await ann.ask('GET', '/v1/audit?action=InvitationService.AcceptInvitation')).body;
      return entries.length === 1 && entries[0].outcome === 'unauthorized';
    });
    expect((await nobody().post('/v1/invitations/accept', { token, password: PASSWORD })).status).to.equal(201);
    const before = (await ann.ask('GET', '/v1/accounts')).body.accounts;
    expect(before.map(({ email, role, current }: Record<string, unknown>) => [email, role, current])).to.deep.equal([
      ['ann@example.com', 'owner', true],
      [world.email, 'operator', false],
    ]);
    const switched = await ann.ask('POST', '/v1/session/account', { account: before[1].id });
    expect(switched.body.account.email).to.equal(world.email);
    expect(await self(ann)).to.include({ email: 'ann@example.com', role: 'operator' });
    // The next sign-in begins where the person was last.
    expect(await self(await signIn(world, 'ann@example.com', PASSWORD))).to.include({ role: 'operator' });
    const foreign = await ann.ask('POST', '/v1/session/account', { account: 'acc_0000000000000000000000000' });
    expect(foreign.body.error).to.equal('not_found');
  });

  it('are invited again by a link that replaces the one before, and withdrawn ones do not work', async () => {
    const first = await invite(owner, { email: 'ben@example.com', role: 'viewer' });
    const second = await invite(owner, { email: 'ben@example.com', role: 'admin' });
    expect((await nobody().post('/v1/invitations/read', { token: first.token })).status).to.equal(404);
    expect((await owner.ask('DELETE', `/v1/account/invitations/${String(second.invitation['id'])}`)).status).to.equal(
      204,
    );
    expect((await nobody().post('/v1/invitations/read', { token: second.token })).status).to.equal(404);
    const devices = { label: 'team' };
    const vague = await owner.ask('POST', '/v1/account/invitations', {
      email: 'x@example.com',
      role: 'viewer',
      devices,
    });
    expect(vague.body.message).to.equal(
      'devices.label: "team" is not allowed, must be a label as key=value, such as team=qa',
    );
    const own = await owner.ask('POST', '/v1/account/invitations', { email: world.email, role: 'viewer' });
    expect([own.status, own.body.error]).to.deep.equal([400, 'bad_request']);
  });

  it('do not join by the invitation of someone who may invite no more', async () => {
    for (const change of ['left', 'operator'] as const) {
      const ann = await joinAccount(world, owner, { email: `${change}@example.com`, role: 'admin', devices: ['*'] });
      const { token } = await invite(ann, { email: `friend-of-${change}@example.com`, role: 'admin' });
      const path = `/v1/account/members/${(await self(ann)).id as string}`;
      const changed = await (change === 'left'
        ? owner.ask('DELETE', path)
        : owner.ask('PATCH', path, { role: 'operator' }));
      expect(changed.status, changed.bytes.toString()).to.be.within(200, 204);
      for (const [route, body] of [
        ['read', { token }],
        ['accept', { token, password: PASSWORD }],
      ] as const) {
        const refused = await nobody().post(`/v1/invitations/${route}`, body);
        expect([refused.status, refused.body.error], route).to.deep.equal([404, 'not_found']);
      }
    }
    const { invitations } = (await owner.ask('GET', '/v1/account/invitations')).body;
    expect(invitations.map(({ email }: { email: string }) => email)).to.deep.equal(['friend-of-operator@example.com']);
  });

  it('cannot be more than one for a link that is used twenty times at once', async () => {
    const { token } = await invite(owner, { email: 'ben@example.com', role: 'owner' });
    const tries = Array.from({ length: 20 }, () =>
      nobody().post('/v1/invitations/accept', { token, password: PASSWORD }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500)).to.deep.equal([]);
    expect(statuses).to.include(201);
    expect(await emailsOf(owner)).to.deep.equal([world.email, 'ben@example.com']);
  });

  it('lose at once what a lower role may not do, with their own keys', async () => {
    const ben = await join(world, owner, { email: 'ben@example.com', role: 'operator' });
    await world.api.createPhone({ name: 'mine' });
    const key = world.api.as(await ben.createKey());
    const home = { events: [{ key: { name: 'home' } }] };
    expect((await key.post('/v1/devices/mine/input', home)).status).to.be.lessThan(300);
    const { id } = await self(ben);
    expect((await owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'viewer' })).body.member.role).to.equal(
      'viewer',
    );
    const refused = await key.post('/v1/devices/mine/input', home);
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'forbidden']);
    expect(refused.body.message).to.include('has the role viewer, and this needs operator');
    expect((await key.get('/v1/devices/mine')).status).to.equal(200);
    const person = await ben.ask('POST', '/v1/devices/mine/input', home);
    expect(person.body.message).to.include('Your role in this account is viewer');
  });

  it('see and change only their own keys below admin', async () => {
    const ben = await join(world, owner, { email: 'ben@example.com', role: 'operator' });
    await owner.createKey({ name: 'of the owner' });
    await ben.createKey({ name: 'of Ben' });
    const names = async (panel: PanelClient): Promise<string[]> =>
      (await panel.ask('GET', '/v1/keys')).body.keys.map(({ name }: { name: string }) => name);
    expect(await names(ben)).to.deep.equal(['of Ben']);
    expect(await names(owner)).to.include.members(['of the owner', 'of Ben']);
    const { keys } = (await owner.ask('GET', '/v1/keys')).body;
    const foreign = keys.find(({ name }: { name: string }) => name === 'of the owner');
    for (const [method, body] of [
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect((await ben.ask(method, `/v1/keys/${foreign.id}`, body)).status, method).to.equal(404);
  });

  it('are removed with their sessions, and with their keys as chosen', async () => {
    for (const choice of ['revoke', 'keep']) {
      const email = `${choice}@example.com`;
      const ben = await join(world, owner, { email, role: 'operator' });
      const key = world.api.as(await ben.createKey({ name: choice }));
      const { id } = await self(ben);
      const unsaid = await owner.ask('DELETE', `/v1/account/members/${id}`);
      expect([unsaid.status, unsaid.body.error]).to.deep.equal([400, 'bad_request']);
      expect((await owner.ask('DELETE', `/v1/account/members/${id}?keys=${choice}`)).status).to.equal(204);
      expect((await ben.ask('GET', '/v1/devices')).status, choice).to.equal(401);
      expect((await key.get('/v1/devices')).status, choice).to.equal(choice === 'keep' ? 200 : 401);
      const signIn = await nobody().post('/v1/session', { email, password: PASSWORD });
      expect(signIn.status, choice).to.equal(401);
      // The address is free again.
      expect((await nobody().post('/v1/account', { email, password: PASSWORD })).status, choice).to.equal(201);
    }
  });

  it('keep an owner: the last one cannot leave, nor be anything else', async () => {
    const { id } = await self(owner);
    for (const [method, path, body] of [
      ['DELETE', `/v1/account/members/${id}?keys=keep`, undefined],
      ['PATCH', `/v1/account/members/${id}`, { role: 'admin' }],
    ] as const) {
      const refused = await owner.ask(method, path, body);
      expect([refused.status, refused.body.error], method).to.deep.equal([409, 'busy']);
    }
    const other = await join(world, owner, { email: 'ben@example.com', role: 'owner' });
    const both = await Promise.all([
      owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'admin' }),
      other.ask('PATCH', `/v1/account/members/${(await self(other)).id}`, { role: 'admin' }),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
  });

  it('see all devices as admins and owners', async () => {
    await world.api.createPhone({ name: 'mine', start: false });
    const refused = await owner.ask('POST', '/v1/account/invitations', {
      email: 'x@example.com',
      role: 'admin',
      devices: ['mine'],
    });
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
    const ben = await join(world, owner, { email: 'ben@example.com', role: 'viewer', devices: ['mine'] });
    const { id } = await self(ben);
    const { body } = await owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'admin' });
    expect(body.member.devices).to.deep.equal(['*']);
  });

  it('are not owners by the hand of an admin', async () => {
    const admin = await join(world, owner, { email: 'ada@example.com', role: 'admin' });
    const { id } = await self(owner);
    for (const [method, path, body] of [
      ['PATCH', `/v1/account/members/${id}`, { role: 'viewer' }],
      ['DELETE', `/v1/account/members/${id}?keys=keep`, undefined],
      ['PATCH', `/v1/account/members/${(await self(admin)).id}`, { role: 'owner' }],
      ['POST', '/v1/account/invitations', { email: 'x@example.com', role: 'owner' }],
    ] as const) {
      const refused = await admin.ask(method, path, body);
      expect([refused.status, refused.body.error], `${method} ${path}`).to.deep.equal([403, 'forbidden']);
    }
  });

  it('go with the account that the operator deletes, and their addresses are free again', async () => {
    await join(world, owner, { email: 'ben@example.com', role: 'viewer' });
    await operator(world).disableAccount({ email: world.email });
    await operator(world).deleteAccount({ email: world.email });
    const made = await nobody().post('/v1/account', { email: 'ben@example.com', password: PASSWORD });
    expect(made.status).to.equal(201);
    const signedIn = await nobody().post('/v1/session', { email: 'ben@example.com', password: PASSWORD });
    expect(await self(new PanelClient(world.mesh.url, cookieOf(signedIn)))).to.include({ role: 'owner' });
  });
});
