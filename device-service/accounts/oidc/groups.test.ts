import { expect } from 'chai';
import { openOidcWorld, type OidcWorld } from '../../../testing/oidc-world.js';
import { MemberRole } from '../../../proto/gen/cloudphone/api/v1/route_pb.js';
import { GRACE_MS, CONFIRMED_MS } from './confirm-session.js';
import { allowProvider, createSignInLink, LINK_MS, openSignInLink } from './sign-in-link.js';
import { SignInFailure } from './sign-in-failure.js';

const PERSON = { sub: 'ben-1', email: 'ben@example.com', email_verified: true, groups: ['qa'] };

describe('people of an identity provider', () => {
  let world: OidcWorld;
  beforeEach(async () => {
    world = await openOidcWorld();
    world.provider.person = PERSON;
  });
  afterEach(() => world.close());

  const inGroups = (...groups: string[]): void => {
    world.provider.person = { ...PERSON, groups };
  };
  const roles = async (): Promise<string[]> =>
    (await world.stores.members.list(world.accountId, 10)).map(({ role }) => role).sort();
  const codeOf = async (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'let in',
      (error: unknown) => (error instanceof SignInFailure ? error.code : String(error)),
    );

  it('get the highest role of their groups, which later sign-ins change', async () => {
    inGroups('qa', 'qa-admins', 'others');
    const token = await world.signIn();
    expect(await world.callerOf(token)).to.include({ role: MemberRole.ADMIN, allDevices: true });
    inGroups('qa');
    expect((await world.callerOf(await world.signIn()))?.role).to.equal(MemberRole.OPERATOR);
    expect(await roles()).to.deep.equal(['operator', 'owner']);
  });

  it('need no second factor of ours where the account requires one', async () => {
    await world.stores.accounts.setChoices(world.accountId, { requireSecondFactor: true });
    expect(await world.callerOf(await world.signIn())).to.include({ lacksSecondFactor: false });
  });

  it('are one person, also with another address, and have no password', async () => {
    await world.signIn();
    world.provider.person = { ...PERSON, email: 'ben.new@example.com' };
    await world.signIn();
    const person = await world.stores.people.findByEmail('ben@example.com');
    expect(person).not.to.have.property('passwordHash');
    expect(await world.stores.people.findByEmail('ben.new@example.com')).to.equal(null);
    expect(await roles()).to.have.length(2);
  });

  it('lose the account, their sessions in it and their keys at the next sign-in without the group', async () => {
    const token = await world.signIn();
    const member = (await world.stores.members.list(world.accountId, 10)).find(({ by }) => by === 'oidc');
    await world.stores.keys.insert({
      ...{ _id: 'key_1', accountId: world.accountId, name: 'ci', scope: 'control', devices: ['*'], digest: 'd' },
      ...{ prefix: 'cp_', createdAt: new Date(world.clock.now()), memberId: member?._id ?? '' },
    });
    inGroups();
    expect(await codeOf(world.signIn())).to.equal('no_account');
    expect(await world.callerOf(token)).to.equal(undefined);
    expect(await roles()).to.deep.equal(['owner']);
    expect(await world.stores.keys.findByDigest('d')).to.equal(null);
  });

  it('lose it within an hour of a session, by the refresh', async () => {
    const token = await world.signIn();
    world.clock.turn(CONFIRMED_MS - 1);
    inGroups();
    expect(await world.callerOf(token)).not.to.equal(undefined);
    world.clock.turn(1);
    expect(await world.callerOf(token)).to.equal(undefined);
    expect(await roles()).to.deep.equal(['owner']);
  });

  it('go on for days while the provider confirms them, with one refresh an hour', async () => {
    const token = await world.signIn();
    const before = world.provider.asked.get('/token') ?? 0;
    for (let hour = 0; hour < 48; hour++) {
      world.clock.turn(CONFIRMED_MS);
      const callers = await Promise.all([world.callerOf(token), world.callerOf(token), world.callerOf(token)]);
      expect(callers, `hour ${hour}`).not.to.include(undefined);
    }
    expect((world.provider.asked.get('/token') ?? 0) - before).to.equal(48);
  });

  it('are signed out when the provider refuses the refresh', async () => {
    const token = await world.signIn();
    world.provider.refreshTokens.clear();
    world.clock.turn(CONFIRMED_MS);
    expect(await world.callerOf(token)).to.equal(undefined);
    const person = await world.stores.people.findByEmail('ben@example.com');
    expect(await world.stores.sessions.list(person?._id ?? '')).to.deep.equal([]);
  });

  it('are signed out after an hour when the provider gave no refresh token', async () => {
    world.provider.lie = { token: (right) => ({ ...right, refresh_token: undefined }) };
    const token = await world.signIn();
    world.clock.turn(CONFIRMED_MS - 1);
    expect(await world.callerOf(token)).not.to.equal(undefined);
    world.clock.turn(1);
    expect(await world.callerOf(token)).to.equal(undefined);
  });

  it('go on for 15 minutes while the provider is away, and again once it is back', async () => {
    const token = await world.signIn();
    world.provider.lie = { tokenStatus: 503, token: () => ({}) };
    // The refresh tokens that a failing provider has taken are not its to keep.
    const good = new Set(world.provider.refreshTokens);
    const use = async (): Promise<boolean> => {
      for (const one of good) world.provider.refreshTokens.add(one);
      return (await world.callerOf(token)) !== undefined;
    };
    world.clock.turn(CONFIRMED_MS);
    expect(await use()).to.equal(true);
    world.clock.turn(GRACE_MS - 1);
    expect(await use()).to.equal(true);
    world.clock.turn(1);
    expect(await use()).to.equal(false);
    world.provider.lie = {};
    world.clock.turn(60_000);
    expect(await use()).to.equal(true);
  });

  it('are not confirmed by a refresh about someone else', async () => {
    const token = await world.signIn();
    world.provider.person = { ...PERSON, sub: 'eve-1', groups: ['qa-admins'] };
    world.clock.turn(CONFIRMED_MS + GRACE_MS);
    expect(await world.callerOf(token)).to.equal(undefined);
    expect(await roles()).to.deep.equal(['operator', 'owner']);
  });

  it('sign in with keys that the provider rotated just now', async () => {
    await world.signIn();
    for (let rotation = 0; rotation < 3; rotation++) {
      world.provider.rotate();
      expect(await world.callerOf(await world.signIn())).not.to.equal(undefined);
    }
  });

  it('sign in with a clock of the provider that is 50 s off, and not with one that is 2 minutes off', async () => {
    const right = world.provider.nowS;
    for (const offS of [50, -50]) {
      world.provider.nowS = () => right() + offS;
      expect(await codeOf(world.signIn()), `${offS} s`).to.equal('let in');
    }
    world.provider.nowS = () => right() - 300 - 120;
    expect(await codeOf(world.signIn())).to.equal('invalid_answer');
  });

  it('never take over the address of someone here, unless the operator allows it once', async () => {
    world.provider.person = { ...PERSON, sub: 'ann-1', email: 'ann@example.com', groups: ['qa'] };
    expect(await codeOf(world.signIn())).to.equal('address_taken');
    await allowProvider(world.context, 'ann@example.com');
    world.provider.person = { ...world.provider.person, email_verified: false };
    expect(await codeOf(world.signIn())).to.equal('email_unverified');
    world.provider.person = { ...world.provider.person, email_verified: true };
    // The role that people gave stays, and with it the account's last owner.
    expect((await world.callerOf(await world.signIn()))?.role).to.equal(MemberRole.OWNER);
    world.provider.person = { ...world.provider.person, sub: 'eve-1' };
    expect(await codeOf(world.signIn())).to.equal('address_taken');
  });

  it('keep a refresh token that the database alone cannot open', async () => {
    await world.signIn();
    const person = await world.stores.people.findByEmail('ben@example.com');
    const [session] = await world.stores.sessions.list(person?._id ?? '');
    const [refreshToken = ''] = [...world.provider.refreshTokens];
    expect(refreshToken).not.to.equal('');
    expect(session?.provider?.refreshToken).to.match(/^v1\./);
    expect(JSON.stringify(session)).not.to.contain(refreshToken);
  });

  it('come in by the link of the operator, once and for 10 minutes', async () => {
    const tokenIn = (path: string): string => new URL(path, 'http://x').searchParams.get('token') ?? '';
    const link = tokenIn(await createSignInLink(world.context, 'ann@example.com'));
    const session = await openSignInLink(world.context, link, '192.0.2.7');
    expect((await world.callerOf(session))?.name).to.equal('ann@example.com');
    expect(await codeOf(openSignInLink(world.context, link, '192.0.2.7'))).to.equal('expired');
    const late = tokenIn(await createSignInLink(world.context, 'ann@example.com'));
    world.clock.turn(LINK_MS);
    expect(await codeOf(openSignInLink(world.context, late, '192.0.2.7'))).to.equal('expired');
  });
});
