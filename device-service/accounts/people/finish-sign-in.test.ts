import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { SecretBox } from '../../../kit/text/secret-box.js';
import { refusalOf } from '../../../testing/refusal.js';
import { ADDRESS, FactorTestWorld, PASSWORD } from '../../../testing/factor-test-world.js';
import { changePassword } from './change-password.js';
import { signIn } from './sign-in.js';
import { finishSignIn } from './finish-sign-in.js';
import { removeAllFactors, removeFactor, renewRecoveryCodes } from '../factors/remove-factor.js';
import { sealTotpSecrets } from '../factors/seal-totp-secrets.js';
import { useCode } from '../factors/use-code.js';

const REFUSED = 'The sign-in has ended, or the proof is wrong. Try another code, or sign in again.';

describe('a sign-in with a second factor', () => {
  let world: FactorTestWorld;
  beforeEach(async () => {
    world = await FactorTestWorld.open();
  });
  afterEach(() => world.close());

  /** Gives the right password. Returns the token of the challenge. */
  async function begin(address = ADDRESS): Promise<string> {
    const signedIn = await signIn(world.context, { email: 'ann@example.com', password: PASSWORD }, address);
    if (!('challenge' in signedIn)) throw new Error('no second factor is asked for');
    return signedIn.challenge.token;
  }

  const finish = (token: string, code: string, address = ADDRESS) =>
    finishSignIn(world.context, { token, code }, address, () => undefined);
  const sessions = async () => (await world.context.sessions.list((await world.person())._id)).length;

  it('opens no session for the password alone, and one with the code', async () => {
    const { secret } = await world.addApp();
    const token = await begin();
    expect(token).to.match(/^sfc_[\w-]{43}$/);
    expect(await sessions()).to.equal(0);
    expect((await finish(token, world.code(secret))).token).to.match(/^cps_/);
    expect(await sessions()).to.equal(1);
  });

  it('takes a code once, also in another sign-in and at the same time', async () => {
    const { secret } = await world.addApp();
    const tokens = [await begin(), await begin(), await begin()];
    const code = world.code(secret);
    const ends = await Promise.allSettled(tokens.map((token) => finish(token, code)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    expect((await refusalOf(finish(await begin(), code))).message).to.equal(REFUSED);
    expect(await sessions()).to.equal(1);
  });

  it('does not take the code with which the app was confirmed', async () => {
    const { secret } = await world.addApp();
    world.clock.turn(-30_000);
    expect((await refusalOf(finish(await begin(), world.code(secret)))).message).to.equal(REFUSED);
  });

  it('takes a token once and for 5 minutes', async () => {
    const { secret } = await world.addApp();
    const token = await begin();
    await finish(token, world.code(secret));
    world.clock.turn(30_000);
    expect((await refusalOf(finish(token, world.code(secret)))).message).to.equal(REFUSED);
    const late = await begin();
    world.clock.turn(5 * 60_000);
    expect((await refusalOf(finish(late, world.code(secret)))).message).to.equal(REFUSED);
    expect((await refusalOf(finish('sfc_none', world.code(secret)))).message).to.equal(REFUSED);
  });

  it('lets one of 20 requests with a recovery code in', async () => {
    const { recoveryCodes } = await world.addApp();
    expect(recoveryCodes).to.have.lengthOf(10);
    const [code = ''] = recoveryCodes;
    const { _id } = await world.person();
    const uses = await Promise.all(Array.from({ length: 20 }, () => useCode(world.context, _id, code)));
    expect(uses.filter((isRight) => isRight)).to.have.lengthOf(1);
    expect((await world.person()).secondFactors?.recoveryCodes).to.have.lengthOf(9);
  });

  it('takes a recovery code as people type it, and none that was replaced', async () => {
    const { recoveryCodes } = await world.addApp();
    const [first = '', second = ''] = recoveryCodes;
    await finish(await begin(), ` ${first.toUpperCase().replaceAll('-', ' ')} `);
    const [renewed = ''] = await renewRecoveryCodes(world.context, await world.person());
    expect((await refusalOf(finish(await begin(), second))).message).to.equal(REFUSED);
    await finish(await begin(), renewed);
  });

  it('bounds wrong codes of a person from all addresses, and right passwords do not help', async () => {
    const { secret } = await world.addApp();
    const tries: string[] = [];
    for (let at = 0; at < 40; at++) {
      // Each address gives the right password, which clears wrong passwords but no wrong codes.
      const address = `198.51.100.${at}`;
      tries.push((await refusalOf(finish(await begin(address), world.wrongCode(secret), address))).kind);
    }
    expect(tries.slice(0, 20)).to.deep.equal(Array(20).fill('unauthorized'));
    expect(tries.slice(20)).to.deep.equal(Array(20).fill('rate_limited'));
    expect((await refusalOf(finish(await begin(), world.code(secret)))).kind).to.equal('rate_limited');
    world.clock.turn(15 * 60_000);
    await finish(await begin(), world.code(secret));
  });

  it('ends where the password was changed meanwhile', async () => {
    const { secret } = await world.addApp();
    const token = await begin();
    const change = { password: PASSWORD, newPassword: 'staple battery horse' };
    await changePassword(world.context, await world.person(), { sessionId: 'ses_none', address: ADDRESS }, change);
    expect((await refusalOf(finish(token, world.code(secret)))).message).to.equal(REFUSED);
    expect(await sessions()).to.equal(0);
  });

  it('needs the password alone again once the factors are removed', async () => {
    const { id } = await world.addApp();
    await removeFactor(world.context, await world.person(), 'acc_none', id);
    expect((await world.person()).secondFactors).to.include({ version: 3 });
    expect(await signIn(world.context, { email: 'ann@example.com', password: PASSWORD }, ADDRESS)).to.have.property(
      'token',
    );
    await world.addApp();
    expect(await removeAllFactors(world.context, await world.person())).to.equal(1);
    expect(await sessions()).to.equal(0);
    expect((await world.person()).secondFactors?.recoveryCodes).to.deep.equal([]);
    expect(await signIn(world.context, { email: 'ann@example.com', password: PASSWORD }, ADDRESS)).to.have.property(
      'token',
    );
  });

  it('keeps the secret of an app sealed, and seals it again with another key', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)];
    const { secret } = await world.addApp();
    const stored = async () => {
      const [factor] = (await world.person()).secondFactors?.list ?? [];
      return factor?.kind === 'totp' ? factor.secret : '';
    };
    expect(await stored()).to.equal(secret);
    const { _id } = await world.person();
    for (const box of [new SecretBox(old), new SecretBox(next, old)]) {
      const context = { ...world.context, secretBox: box };
      expect(await sealTotpSecrets(context)).to.deep.equal({ sealed: 1, again: 1, unreadable: 0 });
      expect(await sealTotpSecrets(context)).to.deep.equal({ sealed: 1, again: 0, unreadable: 0 });
      expect(await stored()).to.match(/^v1\./);
      expect(await useCode(context, _id, world.code(secret))).to.equal(true);
      world.clock.turn(30_000);
    }
    const lost = { ...world.context, secretBox: new SecretBox(randomBytes(32)) };
    expect(await sealTotpSecrets(lost)).to.deep.equal({ sealed: 0, again: 0, unreadable: 1 });
    expect(await useCode(lost, _id, world.code(secret))).to.equal(false);
  });
});
