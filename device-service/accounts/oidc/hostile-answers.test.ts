import { expect } from 'chai';
import type { Lie } from '../../../testing/hostile-provider.js';
import { openOidcWorld, type OidcWorld } from '../../../testing/oidc-world.js';
import { MAX_ANSWER_BYTES } from './bounded-fetch.js';
import type { Callback } from './finish-sign-in.js';
import { type FailureCode, SignInFailure } from './sign-in-failure.js';

const PERSON = { sub: 'ben-1', email: 'ben@example.com', email_verified: true, groups: ['qa'] };

/** An answer that must let nobody in. */
interface Row {
  lie?: Lie;
  /** What comes back through the browser in place of the right parameters. */
  callback?: Partial<Callback>;
  /** How long the browser takes, ms. */
  waitMs?: number;
  code: FailureCode;
}

const claims = (changed: Record<string, unknown>): Row => ({ lie: { claims: changed }, code: 'invalid_answer' });
const token = (change: (right: Record<string, unknown>) => unknown): Row => ({
  lie: { token: change },
  code: 'invalid_answer',
});
const without = (name: string) => (right: Record<string, unknown>) => ({ ...right, [name]: undefined });
const HOUR_S = 3_600;

/** Each row gets the present, in seconds. */
const rows: Record<string, (nowS: number) => Row> = {
  'another audience': () => claims({ aud: 'someone-else' }),
  'an empty audience': () => claims({ aud: [] }),
  'no audience': () => claims({ aud: undefined }),
  'several audiences without us': () => claims({ aud: ['a', 'b'] }),
  'several audiences for another party': () => claims({ aud: ['cloudphone', 'other'], azp: 'other' }),
  'several audiences without a party': () => claims({ aud: ['cloudphone', 'other'] }),
  'an audience that is a number': () => claims({ aud: 1 }),
  'an audience with another case': () => claims({ aud: 'CloudPhone' }),
  'another issuer': () => claims({ iss: 'https://evil.example.com' }),
  'an issuer with a slash more': () => claims({ iss: 'http://127.0.0.1/' }),
  'no issuer': () => claims({ iss: undefined }),
  'an issuer that is a list': () => claims({ iss: ['https://evil.example.com'] }),
  'another nonce': () => claims({ nonce: 'another' }),
  'no nonce': () => claims({ nonce: undefined }),
  'an empty nonce': () => claims({ nonce: '' }),
  'a nonce that is a list': () => claims({ nonce: [] }),
  'a token of yesterday': (nowS) => claims({ exp: nowS - 24 * HOUR_S }),
  'a token that ended two minutes ago': (nowS) => claims({ exp: nowS - 120 }),
  'a token without an end': () => claims({ exp: undefined }),
  'an end that is a text': () => claims({ exp: '99999999999' }),
  'a token that is good tomorrow': (nowS) => claims({ nbf: nowS + 24 * HOUR_S }),
  'no time of issue': () => claims({ iat: undefined }),
  'a time of issue that is a text': () => claims({ iat: 'now' }),
  'no subject': () => claims({ sub: undefined }),
  'an empty subject': () => claims({ sub: '' }),
  'a subject that is a number': () => claims({ sub: 7 }),
  'a subject that is too long': () => claims({ sub: 'x'.repeat(10_000) }),
  'alg none': () => ({ lie: { signature: 'none' }, code: 'invalid_answer' }),
  'alg None': () => ({ lie: { signature: 'none', header: { alg: 'None' } }, code: 'invalid_answer' }),
  'alg none with a good signature': () => ({ lie: { header: { alg: 'none' } }, code: 'invalid_answer' }),
  'no alg': () => ({ lie: { header: { alg: undefined } }, code: 'invalid_answer' }),
  'an HMAC with the client secret': () => ({ lie: { signature: 'hmac-secret' }, code: 'invalid_answer' }),
  'an HMAC with the public key': () => ({ lie: { signature: 'hmac-public-key' }, code: 'invalid_answer' }),
  'the key of someone else': () => ({ lie: { signature: 'other-key' }, code: 'invalid_answer' }),
  'a changed signature': () => ({ lie: { signature: 'changed' }, code: 'invalid_answer' }),
  'no signature': () => ({ lie: { signature: 'absent' }, code: 'invalid_answer' }),
  'a key that is not published': () => ({ lie: { header: { kid: 'unknown' } }, code: 'invalid_answer' }),
  'another algorithm than the key has': () => ({ lie: { header: { alg: 'ES256' } }, code: 'invalid_answer' }),
  'a critical header that nobody knows': () => ({ lie: { header: { crit: ['x'], x: 1 } }, code: 'invalid_answer' }),
  'no keys': () => ({ lie: { keys: { keys: [] } }, code: 'invalid_answer' }),
  'keys that are no list': () => ({ lie: { keys: { keys: 'all' } }, code: 'invalid_answer' }),
  'no ID token': () => token(without('id_token')),
  'no access token': () => token(without('access_token')),
  'no token type': () => token(without('token_type')),
  'a token type that is unknown': () => token((right) => ({ ...right, token_type: 'magic' })),
  'an ID token that is no JWT': () => token((right) => ({ ...right, id_token: 'ben' })),
  'an ID token with parts of another': () =>
    token((right) => ({ ...right, id_token: `${String(right['id_token'])}.x.y` })),
  'an ID token that is an object': () => token((right) => ({ ...right, id_token: PERSON })),
  'a list': () => token(() => []),
  text: () => token(() => 'welcome'),
  'an endless answer': () => ({
    lie: { token: (right) => ({ ...right, more: 'x'.repeat(10 * MAX_ANSWER_BYTES) }) },
    code: 'provider_away',
  }),
  'a redirect to another site': () => ({
    lie: { tokenStatus: 302, tokenHeaders: { location: 'https://evil.example.com/token' } },
    code: 'invalid_answer',
  }),
  'a status of 500 with good tokens': () => ({ lie: { tokenStatus: 500 }, code: 'provider_away' }),
  'a status of 400 with good tokens': () => ({ lie: { tokenStatus: 400 }, code: 'invalid_answer' }),
  'a page': () => ({
    lie: { token: () => '<p>Welcome</p>', tokenHeaders: { 'content-type': 'text/html' } },
    code: 'invalid_answer',
  }),
  'a userinfo about someone else': () => ({
    lie: { claims: { groups: undefined }, userinfo: { sub: 'ann-1', groups: ['qa-admins'] } },
    code: 'invalid_answer',
  }),
  'an address that is not verified': () => ({ lie: { claims: { email_verified: false } }, code: 'email_unverified' }),
  'an address that is verified by a text': () => ({
    lie: { claims: { email_verified: 'true' } },
    code: 'email_unverified',
  }),
  'an address without a word': () => ({ lie: { claims: { email_verified: undefined } }, code: 'email_unverified' }),
  'no address': () => ({ lie: { claims: { email: undefined }, userinfo: { sub: 'ben-1' } }, code: 'email_unverified' }),
  'the unverified address of the owner': () => ({
    lie: { claims: { email: 'ann@example.com', email_verified: false } },
    code: 'email_unverified',
  }),
  'the address of the owner': () => ({ lie: { claims: { email: 'ann@example.com' } }, code: 'address_taken' }),
  'the address of the owner in capitals': () => ({
    lie: { claims: { email: 'ANN@EXAMPLE.COM' } },
    code: 'address_taken',
  }),
  'no group': () => ({ lie: { claims: { groups: [] } }, code: 'no_account' }),
  'a group with another case': () => ({ lie: { claims: { groups: ['QA'] } }, code: 'no_account' }),
  'groups in one text': () => ({ lie: { claims: { groups: 'qa,qa-admins' } }, code: 'no_account' }),
  'groups in an object': () => ({ lie: { claims: { groups: { qa: true } } }, code: 'no_account' }),
  'another state': () => ({ callback: { state: 'another' }, code: 'expired' }),
  'no state': () => ({ callback: { state: undefined }, code: 'expired' }),
  'no cookie': () => ({ callback: { loginToken: undefined }, code: 'expired' }),
  'the cookie of another browser': () => ({ callback: { loginToken: 'A'.repeat(43) }, code: 'expired' }),
  'a browser that comes after 10 minutes': () => ({ waitMs: 10 * 60_000, code: 'expired' }),
  'no code': () => ({ callback: { code: undefined }, code: 'invalid_answer' }),
  'the issuer of another provider beside the code': () => ({
    callback: { iss: 'https://evil.example.com' },
    code: 'invalid_answer',
  }),
  'a refusal with a code': () => ({ callback: { error: 'access_denied' }, code: 'refused' }),
};

describe('hostile answers of an identity provider', () => {
  let world: OidcWorld;
  before(async () => (world = await openOidcWorld()));
  after(() => world.close());
  beforeEach(() => {
    world.provider.lie = {};
    world.provider.person = PERSON;
  });

  const failureOf = async (signIn: Promise<string>): Promise<unknown> =>
    signIn.then(
      () => 'let in',
      (error: unknown) => (error instanceof SignInFailure ? error.code : error),
    );
  const nobodyCame = async (): Promise<void> => {
    expect(await world.stores.people.findByEmail('ben@example.com'), 'a person').to.equal(null);
    const owner = await world.stores.people.findByEmail('ann@example.com');
    expect(await world.stores.sessions.list(owner?._id ?? ''), 'sessions of the owner').to.deep.equal([]);
    expect(await world.stores.members.list(world.accountId, 10), 'members').to.have.length(1);
  };

  for (const [name, row] of Object.entries(rows)) {
    it(`let nobody in: ${name}`, async () => {
      const { lie, callback, waitMs = 0, code } = row(Math.floor(world.clock.now() / 1000));
      const begun = await world.begin();
      world.clock.turn(waitMs);
      world.provider.lie = lie ?? {};
      expect(await failureOf(world.finish(begun, callback))).to.equal(code);
      await nobodyCame();
    });
  }

  it('let nobody in by a sign-in that was finished before', async () => {
    const begun = await world.begin();
    world.provider.lie = { claims: { groups: [] } };
    expect(await failureOf(world.finish(begun))).to.equal('no_account');
    world.provider.lie = {};
    expect(await failureOf(world.finish(begun))).to.equal('expired');
    await nobodyCame();
  });

  it('let nobody in by the code of another sign-in', async () => {
    const begun = await world.begin();
    // The attacker's own sign-in began later, so the provider has the challenge and the nonce of that one.
    await world.begin();
    expect(await failureOf(world.finish(begun))).to.equal('refused');
    await nobodyCame();
  });

  it('are at least 50, and the right answer does let in', async () => {
    expect(Object.keys(rows).length).to.be.at.least(50);
    const token = await world.signIn();
    expect(await world.callerOf(token)).to.include({ accountId: world.accountId, name: 'ben@example.com' });
  });
});
