import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forgetIdentity } from './forget-identity.js';

const KEY = 'settings_ssaid.xml';

describe('the identity in the data of a clone', () => {
  let folder: string;
  let data: string;
  const outside = (): string => join(folder, 'outside');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'identity-'));
    data = join(folder, 'data');
    for (const path of [data, outside(), join(outside(), 'users'), join(outside(), 'users', '0')]) await mkdir(path);
    for (const path of [outside(), join(outside(), 'users', '0')]) await writeFile(join(path, KEY), 'of the host');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is removed for each user, and nothing else is', async () => {
    for (const user of ['0', '10']) {
      await mkdir(join(data, 'system/users', user), { recursive: true });
      for (const name of [KEY, `${KEY}.fallback`, 'other.xml'])
        await writeFile(join(data, 'system/users', user, name), 'x');
    }
    await writeFile(join(data, 'system/users', 'userlist.xml'), 'x');
    await forgetIdentity(data);
    for (const user of ['0', '10'])
      expect(await readdir(join(data, 'system/users', user))).to.deep.equal(['other.xml']);
    expect(await readdir(join(data, 'system/users'))).to.have.length(3);
  });

  it('is nothing where Android has not booted yet', () => forgetIdentity(data));

  for (const [link, to] of [
    ['system', ''],
    ['system/users', 'users'],
    ['system/users/0', ''],
    ['system/users/0/settings_ssaid.xml', 'settings_ssaid.xml'],
    ['system/users/0/settings_ssaid.xml.d', ''],
  ] as const) {
    it(`is never removed from a folder of the host (${link} is a link)`, async () => {
      await mkdir(join(data, link, '..'), { recursive: true });
      await symlink(join(outside(), to), join(data, link));
      await forgetIdentity(data);
      expect(await readdir(outside())).to.contain(KEY);
      expect(await readdir(join(outside(), 'users', '0'))).to.deep.equal([KEY]);
    });
  }
});
