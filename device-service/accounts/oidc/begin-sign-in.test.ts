import { expect } from 'chai';
import { openOidcWorld, type OidcWorld } from '../../../testing/oidc-world.js';
import { ownPath } from './begin-sign-in.js';
import { MAX_STEPS_FROM_ADDRESS } from './oidc.js';
import { SignInFailure } from './sign-in-failure.js';

describe('the beginning of a sign-in', () => {
  let world: OidcWorld;
  beforeEach(async () => (world = await openOidcWorld()));
  afterEach(() => world.close());

  it('is bounded for an address, and asks the provider once for all', async () => {
    let refused = 0;
    for (let step = 0; step < 10 * MAX_STEPS_FROM_ADDRESS; step++) {
      await world.begin().catch((error: unknown) => {
        if (!(error instanceof SignInFailure) || error.code !== 'rate_limited') throw error;
        refused++;
      });
    }
    expect(refused).to.equal(9 * MAX_STEPS_FROM_ADDRESS);
    expect(await world.stores.oidcLogins.count(10_000)).to.equal(MAX_STEPS_FROM_ADDRESS);
    expect(world.provider.asked.get('/.well-known/openid-configuration')).to.equal(1);
  });

  it('ends where the provider names another issuer than the settings', async () => {
    world.provider.lie = { metadata: { issuer: 'https://evil.example.com' } };
    const error: unknown = await world.begin().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(SignInFailure).and.include({ code: 'provider_away' });
    world.provider.lie = {};
    expect((await world.begin()).state).not.to.equal('');
  });

  it('leads back to a path of the panel alone', () => {
    const own = { '/devices?a=b#c': '/devices?a=b#c', '/': '/', '/a/../devices': '/devices' };
    for (const [text, path] of Object.entries(own)) expect(ownPath(text), text).to.equal(path);
    const foreign = [
      '//evil.example.com',
      '/\\evil.example.com',
      'https://evil.example.com',
      '/.//evil.example.com',
      '',
    ];
    for (const text of [...foreign, '/a/..//evil.example.com', undefined]) expect(ownPath(text), text).to.equal('/');
  });
});
