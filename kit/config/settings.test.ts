import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Settings } from './settings.js';

describe('a setting that is a secret', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'settings-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const written = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const read = (environment: Record<string, string>): string | undefined => {
    const settings = new Settings(environment);
    const secret = settings.secret('MESH_TOKEN');
    settings.check();
    return secret;
  };

  it('is its own value, or the line in a file', () => {
    expect(read({})).to.equal(undefined);
    expect(read({ MESH_TOKEN: 'plain' })).to.equal('plain');
    expect(read({ MESH_TOKEN: '', MESH_TOKEN_FILE: '' })).to.equal(undefined);
    for (const [name, end] of Object.entries({ none: '', unix: '\n', windows: '\r\n', several: '\n\n' }))
      expect(read({ MESH_TOKEN_FILE: written(name, ` a secret with = and é ${end}`) })).to.equal(
        ' a secret with = and é ',
      );
  });

  it('is refused where it is set in both ways', () => {
    const MESH_TOKEN_FILE = written('both', 'in-the-file');
    expect(() => read({ MESH_TOKEN: 'in-the-setting', MESH_TOKEN_FILE }))
      .to.throw('MESH_TOKEN and MESH_TOKEN_FILE are both set: remove one of them')
      .with.property('message')
      .not.match(/in-the-(file|setting)/);
  });

  it('names a file that cannot be used, and the next step, without its content', () => {
    const missing = join(folder, 'missing');
    expect(() => read({ MESH_TOKEN_FILE: missing })).to.throw(
      `MESH_TOKEN_FILE="${missing}" cannot be read: ENOENT. Name a file that exists and that this user may read`,
    );
    expect(() => read({ MESH_TOKEN_FILE: folder })).to.throw('cannot be read: EISDIR');
    const empty = written('empty', '\n');
    expect(() => read({ MESH_TOKEN_FILE: empty })).to.throw(
      `MESH_TOKEN_FILE="${empty}" is empty: write the secret into it`,
    );
    for (const text of ['first-line\nsecond', 'nul\0byte', 'x'.repeat(16_385)])
      expect(() => read({ MESH_TOKEN_FILE: written('odd', text) }))
        .to.throw('does not hold one line of text: write only the secret into it')
        .with.property('message')
        .not.match(/first-line|nul|xxx/);
  });
});
