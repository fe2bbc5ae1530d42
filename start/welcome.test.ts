import { expect } from 'chai';
import type { Quickstart } from './quickstart.js';
import { seeAgain, welcome } from './welcome.js';

describe('the text that a start prints', () => {
  const withoutModel: Quickstart = {
    base_url: 'http://127.0.0.1:8080/v1',
    panel_url: 'http://127.0.0.1:8080/',
    grpc: { device: 'a', screen: 'b', relay: 'c', webhook: 'd' },
    relay_host: '127.0.0.1',
    ops_url: 'http://127.0.0.1:7010',
    status_url: 'http://127.0.0.1:8081/status',
  };
  const places: Quickstart = { ...withoutModel, model: 'phone-720p' };
  const secrets = { email: 'owner@localhost', password: 'the-password', api_key: 'cp_the_key' };

  it('has the secrets only where they may be shown', () => {
    const shown = welcome({ ...places, ...secrets }, '/data', true);
    expect(shown).to.contain('the-password').and.to.contain('cp_the_key');
    const hidden = welcome({ ...places, ...secrets }, '/data', false);
    expect(hidden).not.to.contain('the-password').and.not.to.contain('cp_the_key');
    expect(hidden).to.contain('owner@localhost, password in quickstart.json');
    for (const text of [shown, hidden]) {
      expect(text).to.contain(`CLOUDPHONE_KEY=$(node -p 'require("/data/quickstart.json").api_key')`);
    }
  });

  it('has a model that is offered, or the way to the reasons why there is none', () => {
    expect(welcome({ ...places, model: 'redroid-14' }, '/data', true)).to.contain('{"model": "redroid-14",');
    const none = welcome(withoutModel, '/data', true);
    expect(none).to.contain('host list').and.not.to.contain('curl').and.not.to.contain('undefined');
  });

  it('names no key and no password that there is none of', () => {
    const restored = welcome(places, '/data', true);
    expect(restored).not.to.contain('undefined').and.not.to.contain('KEY=$(');
    expect(restored)
      .to.contain('Create a phone, with an API key in CLOUDPHONE_KEY:')
      .and.to.contain('Bearer $CLOUDPHONE_KEY');
    const changed = welcome({ ...places, email: 'owner@localhost', api_key: 'cp_the_key' }, '/data', true);
    expect(changed).to.contain('account password --email owner@localhost').and.not.to.contain('undefined');
  });

  it('says how to turn video on, where it is off', () => {
    expect(welcome({ ...places, video: false }, '/data', true)).to.contain('npm run fetch-scrcpy');
    expect(welcome({ ...places, video: true }, '/data', true)).to.not.contain('fetch-scrcpy');
  });

  it('is printed again by a command that names the data folder, unless it is the usual one', () => {
    expect(seeAgain('./data')).to.equal('npm run --silent admin -- info');
    expect(seeAgain('/var/lib/phones')).to.equal('DATA_DIR="/var/lib/phones" npm run --silent admin -- info');
  });
});
