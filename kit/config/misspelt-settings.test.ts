import { expect } from 'chai';
import { misspeltSettings } from './misspelt-settings.js';
import { SETTING_NAMES } from './setting-list/setting-list.js';

describe('settings that are misspelt', () => {
  it('are those one or two letters from a setting, without their values', () => {
    const lines = misspeltSettings({
      MONGODB_URI: 'mongodb://user:secret@host',
      DATADIR: '/x',
      KEY_REQUEST_PER_MINUTES: '9',
      PROT: '1',
    });
    expect(lines).to.deep.equal([
      'MONGODB_URI is not a setting and has no effect. Is MONGODB_URL meant?',
      'DATADIR is not a setting and has no effect. Is DATA_DIR meant?',
      'KEY_REQUEST_PER_MINUTES is not a setting and has no effect. Is KEY_REQUESTS_PER_MINUTE meant?',
      'PROT is not a setting and has no effect. Is PORT meant?',
    ]);
  });

  it('are not the settings, nor variables of other programs', () => {
    const others = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'LANG',
      'NODE_ENV',
      'POSTGRES_HOST',
      'SSL_CERT_FILE',
      'DOCKER_CONFIG',
      'JAVA_HOME',
      'port',
    ];
    const environment = Object.fromEntries([...SETTING_NAMES, ...others].map((name) => [name, 'x']));
    expect(misspeltSettings(environment)).to.deep.equal([]);
    expect(misspeltSettings(Object.fromEntries(others.map((name) => [name, 'x'])))).to.deep.equal([]);
    expect(misspeltSettings({ MONGODB_URI: 'of another program', MONGODB_URL: 'mongodb://host' })).to.deep.equal([]);
  });
});
