import { expect } from 'chai';
import { SecondFactorKind } from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import { refusalOf } from '../../../testing/refusal.js';
import { ADDRESS, FactorTestWorld, PASSWORD } from '../../../testing/factor-test-world.js';
import { SoftwareAuthenticator } from '../../../testing/software-authenticator.js';
import { createAccount } from '../people/sign-up.js';
import { signIn } from '../people/sign-in.js';
import { beginFactor } from './begin-factor.js';
import { openChallenge } from './challenge.js';
import { confirmFactor } from './confirm-factor.js';
import { finishSignIn } from '../people/finish-sign-in.js';

const PLACE = { origin: 'https://phones.example.com', rpId: 'phones.example.com' };
const SESSION = { sessionId: 'ses_none', address: ADDRESS };

describe('a passkey', () => {
  let world: FactorTestWorld;
  let key: SoftwareAuthenticator;
  beforeEach(async () => {
    world = await FactorTestWorld.open();
    key = new SoftwareAuthenticator();
  });
  afterEach(() => world.close());

  async function begin(email?: string) {
    const request = { kind: SecondFactorKind.PASSKEY, name: 'Laptop' };
    const { id, passkeyOptions = '' } = await beginFactor(world.context, await world.person(email), request);
    return { id, options: passkeyOptions };
  }

  async function register(place = PLACE, email?: string, authenticator = key) {
    const { id, options } = await begin(email);
    const proof = { id, passkey: authenticator.create(options, place) };
    return confirmFactor(world.context, await world.person(email), SESSION, proof);
  }

  /** Begins a sign-in: after the password, or by the passkey alone. */
  async function challenge(isAlone: boolean): Promise<{ token: string; options: string }> {
    if (isAlone) return asked(await openChallenge(world.context, undefined));
    const signedIn = await signIn(world.context, { email: 'ann@example.com', password: PASSWORD }, ADDRESS);
    if (!('challenge' in signedIn)) throw new Error('no second factor is asked for');
    return asked(signedIn.challenge);
  }

  const asked = ({ token, passkeyOptions = '' }: { token: string; passkeyOptions?: string | undefined }) => ({
    token,
    options: passkeyOptions,
  });
  const finish = (token: string, passkey: string) =>
    finishSignIn(world.context, { token, passkey }, ADDRESS, () => undefined);

  it('is registered, and is a second factor and a sign-in of its own', async () => {
    const { factor, recoveryCodes } = await register();
    expect(factor).to.include({ kind: 'passkey', name: 'Laptop' });
    expect(recoveryCodes).to.have.lengthOf(10);
    for (const isAlone of [false, true]) {
      const { token, options } = await challenge(isAlone);
      expect((await finish(token, key.get(options, PLACE))).account.email).to.equal('ann@example.com');
    }
    expect((await world.person()).secondFactors?.list[0]).to.include({ counter: 2 });
  });

  it('must have checked who holds it where it is the only proof', async () => {
    await register();
    const second = await challenge(false);
    await finish(second.token, key.get(second.options, PLACE, { isVerified: false }));
    const alone = await challenge(true);
    const unverified = key.get(alone.options, PLACE, { isVerified: false });
    expect((await refusalOf(finish(alone.token, unverified))).kind).to.equal('unauthorized');
  });

  it('is refused at registration from another origin, for another host and for another challenge', async () => {
    for (const place of [
      { ...PLACE, origin: 'https://phones.example.org' },
      { ...PLACE, origin: 'http://phones.example.com' },
      { ...PLACE, rpId: 'example.com' },
    ])
      expect((await refusalOf(register(place))).kind, JSON.stringify(place)).to.equal('bad_request');
    const before = await begin();
    const { id } = await begin();
    const stale = { id, passkey: key.create(before.options, PLACE) };
    expect((await refusalOf(confirmFactor(world.context, await world.person(), SESSION, stale))).kind).to.equal(
      'bad_request',
    );
    expect((await world.person()).secondFactors?.list).to.deep.equal([]);
  });

  it('is refused at sign-in from another origin and for another host', async () => {
    await register();
    for (const isAlone of [false, true])
      for (const place of [
        { ...PLACE, origin: 'https://phones.example.org' },
        { ...PLACE, rpId: 'example.com' },
      ]) {
        const { token, options } = await challenge(isAlone);
        expect((await refusalOf(finish(token, key.get(options, place)))).kind).to.equal('unauthorized');
      }
  });

  it('signs a challenge for one sign-in', async () => {
    await register();
    const { token, options } = await challenge(true);
    const response = key.get(options, PLACE);
    await finish(token, response);
    expect((await refusalOf(finish(token, response))).kind).to.equal('unauthorized');
    const other = await challenge(true);
    expect((await refusalOf(finish(other.token, response))).kind).to.equal('unauthorized');
    const second = await challenge(false);
    expect((await refusalOf(finish(second.token, response))).kind).to.equal('unauthorized');
  });

  it('is refused as a copy when its counter does not grow', async () => {
    await register();
    const { token, options } = await challenge(true);
    await finish(token, key.get(options, PLACE, { growth: 5 }));
    key.counter = 3;
    for (const growth of [0, 1, 2]) {
      const again = await challenge(true);
      key.counter = 3;
      expect((await refusalOf(finish(again.token, key.get(again.options, PLACE, { growth })))).kind).to.equal(
        'unauthorized',
      );
    }
  });

  it('lets in nobody but its own person', async () => {
    await createAccount(world.context, { email: 'bob@example.com', password: PASSWORD });
    const other = new SoftwareAuthenticator();
    await register();
    await register(PLACE, 'bob@example.com', other);
    const { token, options } = await challenge(false);
    expect((await refusalOf(finish(token, other.get(options, PLACE)))).kind).to.equal('unauthorized');
    const alone = await challenge(true);
    const forged = JSON.parse(other.get(alone.options, PLACE)) as { response: { userHandle: string } };
    forged.response.userHandle = Buffer.from((await world.person())._id).toString('base64url');
    expect((await refusalOf(finish(alone.token, JSON.stringify(forged)))).kind).to.equal('unauthorized');
    const bob = await challenge(true);
    expect((await finish(bob.token, other.get(bob.options, PLACE))).account.email).to.equal('bob@example.com');
  });

  it('is no proof in any other form', async () => {
    await register();
    for (const text of ['', '{', 'null', '[]', '{}', '{"id":1}', `{"id":"${'x'.repeat(19_000)}"}`]) {
      for (const isAlone of [false, true]) {
        const { token } = await challenge(isAlone);
        expect((await refusalOf(finish(token, text))).kind, text.slice(0, 20)).to.equal('unauthorized');
      }
    }
    const { id: credential } = JSON.parse(key.get((await challenge(true)).options, PLACE)) as { id: string };
    const { token } = await challenge(false);
    const empty = JSON.stringify({ id: credential, rawId: credential, type: 'public-key', response: {} });
    expect((await refusalOf(finish(token, empty))).kind).to.equal('unauthorized');
  });

  it('is the eleventh second factor of nobody', async () => {
    for (let at = 0; at < 10; at++) await register(PLACE, undefined, new SoftwareAuthenticator());
    expect((await refusalOf(register())).kind).to.equal('forbidden');
  });

  it('needs the address of the service', async () => {
    const context = { ...world.context, publicUrl: undefined };
    const request = { kind: SecondFactorKind.PASSKEY, name: 'Laptop' };
    expect((await refusalOf(beginFactor(context, await world.person(), request))).message).to.include('PUBLIC_URL');
  });
});
