import { expect } from 'chai';
import { FactorTestWorld } from '../../../testing/factor-test-world.js';
import { createSignInLink, openSignInLink } from './sign-in-link.js';

/** Far more than any throttle allows. */
const TRIES = 300;

describe('the link of the operator', () => {
  let world: FactorTestWorld;
  beforeEach(async () => {
    world = await FactorTestWorld.open();
  });
  afterEach(() => world.close());

  it('signs a person in once, however many wrong links others try', async () => {
    const token = (await createSignInLink(world.context, 'ann@example.com')).split('token=')[1] ?? '';
    for (let at = 0; at < TRIES; at++) {
      const tried = openSignInLink(world.context, 'wrong', `192.0.2.${at % 6}`);
      expect(await tried.then(() => 'open', () => 'refused')).to.equal('refused'); // prettier-ignore
    }
    expect(await openSignInLink(world.context, token, '198.51.100.1')).to.match(/^cps_/);
    expect(await openSignInLink(world.context, token, '198.51.100.1').catch(String)).to.contain('expired');
  });

  it('is tried a bounded number of times from one address', async () => {
    const tries = Array.from({ length: TRIES }, () =>
      openSignInLink(world.context, 'wrong', '192.0.2.1').catch(String),
    );
    expect((await Promise.all(tries)).filter((error) => error.includes('Too many'))).to.have.length(TRIES - 100);
  });
});
