import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PhoneFolder } from './phone-folder.js';
import { giveFilesToUnstarted } from './unstarted-phones.js';

const PHONE = {
  phoneId: 'ph_1',
  name: 'one',
  model: 'phone-720p',
  android: '14',
  exit: { type: 'direct', country: 'fr', timezone: 'Europe/Paris' },
};

describe('phones that an earlier release made and never started', () => {
  let root: string;
  let folder: PhoneFolder;
  const inspect = (): Promise<unknown> => folder.inspect('ph_1');

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'unstarted-'));
    folder = new PhoneFolder(root, path.join(root, 'scratch'));
    await folder.clean();
    // The phone's folder is as commit 544390e wrote it.
    await mkdir(folder.statePath('ph_1'), { recursive: true });
    await writeFile(path.join(root, 'phones/ph_1/phone.json'), JSON.stringify(PHONE));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('are stopped phones, which can be saved and restored', async () => {
    expect(await inspect()).to.have.nested.property('status.state', 'broken');
    await giveFilesToUnstarted(folder);
    expect(await inspect()).to.deep.equal({ status: { state: 'stopped' } });
    await folder.snapshot('ph_1', 'sn_1');
    await folder.checkSnapshot('sn_1');
    await folder.restore('ph_1', 'sn_1');
    await giveFilesToUnstarted(folder);
    expect(await inspect()).to.deep.equal({ status: { state: 'stopped' } });
  });

  const lost: Record<string, () => Promise<unknown>> = {
    'with other state': () => writeFile(path.join(folder.statePath('ph_1'), 'settings.json'), '{}'),
    'that was started': () => folder.runFile('ph_1').write({ ended: 'power loss' }),
    'without state': () => rm(folder.statePath('ph_1'), { recursive: true }),
  };
  for (const [name, damage] of Object.entries(lost)) {
    it(`are distinguished from a phone ${name}, whose files are lost`, async () => {
      await damage();
      await giveFilesToUnstarted(folder);
      expect(await inspect()).to.have.nested.property('status.state', 'broken');
    });
  }

  it('are not missed in a folder that does not exist yet', async () => {
    await giveFilesToUnstarted(new PhoneFolder(path.join(root, 'new'), path.join(root, 'scratch')));
  });
});
