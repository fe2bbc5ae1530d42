import { expect } from 'chai';
import { refusalOf } from '../../../testing/refusal.js';
import { ADDRESS, FactorTestWorld } from '../../../testing/factor-test-world.js';
import { SoftwareAuthenticator } from '../../../testing/software-authenticator.js';
import { SecondFactorKind } from '../../../proto/gen/cloudphone/access/v1/second_factor_pb.js';
import { openSession } from '../people/open-session.js';
import { beginFactor } from './begin-factor.js';
import { confirmFactor } from './confirm-factor.js';
import { confirmSession } from './confirm-session.js';

const PLACE = { origin: 'https://phones.example.com', rpId: 'phones.example.com' };

describe('the confirmation of a session', () => {
  let world: FactorTestWorld;
  beforeEach(async () => {
    world = await FactorTestWorld.open();
  });
  afterEach(() => world.close());

  it('takes a passkey for the challenge of this session, once', async () => {
    const key = new SoftwareAuthenticator();
    const [one, other] = [
      await openSession(world.context, await world.person(), ADDRESS),
      await openSession(world.context, await world.person(), ADDRESS),
    ];
    const request = { kind: SecondFactorKind.PASSKEY, name: 'Laptop' };
    const { id, passkeyOptions = '' } = await beginFactor(world.context, await world.person(), request);
    const none = { sessionId: one.id, address: ADDRESS };
    await confirmFactor(world.context, await world.person(), none, { id, passkey: key.create(passkeyOptions, PLACE) });
    world.clock.turn(60_000);
    const challenge = await confirmSession(world.context, await world.person(), none, {});
    const { token, passkeyOptions: options = '' } = challenge ?? { token: '' };
    const proof = { token, passkey: key.get(options, PLACE) };
    const ofOther = { sessionId: other.id, address: ADDRESS };
    const attempt = (session: typeof none) =>
      world.person().then((ann) => confirmSession(world.context, ann, session, proof));
    expect((await refusalOf(attempt(ofOther))).kind).to.equal('bad_request');
    expect(await attempt(none)).to.equal(undefined);
    expect((await refusalOf(attempt(none))).kind).to.equal('bad_request');
    const [kept] = await world.context.sessions.list((await world.person())._id);
    expect(kept?.confirmedAt?.getTime()).to.equal(world.clock.now());
  });

  it('is bounded for an address, whoever asks', async () => {
    await world.addApp();
    const ann = await world.person();
    const session = { sessionId: 'ses_1', address: ADDRESS };
    const kinds: string[] = [];
    for (let at = 0; at < 3_000; at++) {
      const asked = confirmSession(world.context, ann, session, {});
      kinds.push(at < 300 ? await asked.then(() => 'asked') : (await refusalOf(asked)).kind);
    }
    expect(kinds.filter((kind) => kind === 'asked')).to.have.lengthOf(300);
    expect(kinds.filter((kind) => kind === 'rate_limited')).to.have.lengthOf(2_700);
  });

  it('has nothing to confirm for people without a second factor', async () => {
    const session = { sessionId: 'ses_1', address: ADDRESS };
    const refused = await refusalOf(confirmSession(world.context, await world.person(), session, { code: '000000' }));
    expect(refused.message).to.include('no second factor');
  });
});
