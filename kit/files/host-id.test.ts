import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { folderIdOf, hostIdOf } from './host-id.js';

describe('the ids of a data folder', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-ids-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('are made once and kept, for their owner only', () => {
    const folder = folderIdOf(directory);
    expect(folder).to.match(/^folder_[a-z0-9]{20}$/i);
    expect(folderIdOf(directory)).to.equal(folder);
    expect(readFileSync(join(directory, 'folder-id'), 'utf8')).to.equal(`${folder}\n`);
    expect(hostIdOf(directory, undefined)).to.equal(hostIdOf(directory, undefined));
    expect(hostIdOf(directory, 'given')).to.equal('given');
    for (const name of ['folder-id', 'host-id']) expect(statSync(join(directory, name)).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory).sort()).to.deep.equal(['folder-id', 'host-id']);
  });

  it('are made anew when a crash of an older version left an empty file', () => {
    writeFileSync(join(directory, 'host-id'), '');
    const host = hostIdOf(directory, undefined);
    expect(host).not.to.equal('');
    expect(hostIdOf(directory, undefined)).to.equal(host);
  });

  it('are different for different folders', () => {
    expect(folderIdOf(join(directory, 'a'))).not.to.equal(folderIdOf(join(directory, 'b')));
  });
});
