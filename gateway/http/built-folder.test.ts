import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type FindFile, openBuiltFolder } from './built-folder.js';

describe('a folder that the build makes', () => {
  let root: string;
  let path: string;
  let find: FindFile;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'built-'));
    path = join(root, 'dist');
    const title = 'documentation';
    find = openBuiltFolder({
      path,
      title,
      command: 'npm run it',
      immutable: '/assets/',
      last: '/last.yaml',
      policy: '',
    });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const failure = (): Promise<string> => find('/').then(() => 'none', String);

  it('is unavailable until it is whole, and is found then without a restart', async () => {
    expect(await failure())
      .to.contain('has not been built')
      .and.to.contain('npm run it');
    await mkdir(path);
    expect(await failure()).to.contain('has not been built');
    await writeFile(join(path, 'index.html'), 'page');
    expect(await failure()).to.contain('has not been built');
    await writeFile(join(path, 'last.yaml'), 'last');
    expect(await find('/')).to.be.a('function');
    expect(await find('/none')).to.equal(undefined);
  });
});
