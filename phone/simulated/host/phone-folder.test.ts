import { expect } from 'chai';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PhoneFolder } from './phone-folder.js';

const PHONE = {
  phoneId: 'ph_1',
  name: 'one',
  model: 'phone-720p',
  android: '14',
  exit: { type: 'direct', country: 'fr', timezone: 'Europe/Paris' },
};

describe("a phone's folder", () => {
  let root: string;
  let folder: PhoneFolder;
  const note = (): string => path.join(folder.statePath('ph_1'), 'note');
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'folder-'));
    folder = new PhoneFolder(root);
    await folder.clean();
    await folder.create(PHONE);
    await writeFile(note(), 'old');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('goes back to a snapshot', async () => {
    await folder.snapshot('ph_1', 'sn_1');
    await writeFile(note(), 'new');
    await folder.restore('ph_1', 'sn_1');
    expect(await readFile(note(), 'utf8')).to.equal('old');
  });

  it('keeps its state when there is no such snapshot', async () => {
    const failure = await folder.restore('ph_1', 'sn_none').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(await readFile(note(), 'utf8')).to.equal('old');
  });

  it('is taken up from any point where a restore was killed', async () => {
    await folder.snapshot('ph_1', 'sn_1');
    await mkdir(path.join(folder.statePath('ph_1'), '..', '.state.new', 'half'), { recursive: true });
    await mkdir(path.join(folder.statePath('ph_1'), '..', '.state.old', 'half'), { recursive: true });
    await folder.restore('ph_1', 'sn_1');
    expect(await readdir(path.join(root, 'phones/ph_1'))).to.have.members(['phone.json', 'state']);
    expect(await readdir(folder.statePath('ph_1'))).to.deep.equal(['note']);
  });

  it('is copied while files of it come and go', async () => {
    const state = folder.statePath('ph_1');
    const busy = { value: true };
    const coming = (async () => {
      for (let at = 0; busy.value; at++) {
        await mkdir(path.join(state, 'incoming'), { recursive: true });
        await writeFile(path.join(state, 'incoming', String(at % 50)), 'x');
        if (at % 10 === 9) await rm(path.join(state, 'incoming'), { recursive: true, force: true });
      }
    })();
    try {
      for (let at = 0; at < 30; at++) await folder.snapshot('ph_1', `sn_${at}`);
    } finally {
      busy.value = false;
      await coming;
    }
    expect(await readFile(path.join(root, 'snapshots/sn_29/state/note'), 'utf8')).to.equal('old');
  });
});
