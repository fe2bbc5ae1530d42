import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { misspeltSettings, SETTING_NAMES } from './misspelt-settings.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

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

  it('are compared with every setting that is read anywhere', () => {
    const files = execFileSync(
      'git',
      ['ls-files', '-z', '--', 'kit/config/*.ts', '*/config.ts', ':!mcp', ':!check-phones', ':!phone'],
      { cwd: ROOT },
    )
      .toString()
      .split('\0')
      .filter((file) => file !== '' && !/\.test\.ts$|misspelt/.test(file));
    const read = new Set(
      files.flatMap((file) =>
        [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\w\(\s*(?:settings, )?'([A-Z][A-Z_]{3,})'/g)].map(
          ([, name]) => name,
        ),
      ),
    );
    expect(read.size).to.be.greaterThan(50);
    expect([...read].filter((name) => name !== undefined && !SETTING_NAMES.includes(name))).to.deep.equal([]);
  });
});
