import { expect } from 'chai';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { thisProcess } from '../../kit/process/process-owner.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type FreeSpace, MIN_HOST_FREE_BYTES, MIN_HOST_FREE_ENTRIES, HostSpace } from '../../kit/files/host-space.js';
import { PhoneFolder, UnusablePhone } from './phone-folder.js';

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
    folder = new PhoneFolder(root, path.join(root, 'scratch'));
    await folder.clean();
    await folder.create(PHONE);
    await writeFile(note(), 'old');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('goes back to a snapshot', async () => {
    await folder.snapshot('ph_1', 'sn_1');
    // The file is replaced and not changed in place, as the snapshot has it too.
    await rm(note());
    await writeFile(note(), 'new');
    await folder.restore('ph_1', 'sn_1');
    expect(await readFile(note(), 'utf8')).to.equal('old');
  });

  it('is neither saved, cloned nor made while its host has too little room', async () => {
    await folder.snapshot('ph_1', 'sn_1');
    let freeBytes = MIN_HOST_FREE_BYTES - 1;
    const clock = new FakeClock();
    const full = new PhoneFolder(root, path.join(root, 'scratch'), new HostSpace({ measure: async () => ({ freeBytes }), clock })); // prettier-ignore
    for (const work of [
      () => full.snapshot('ph_1', 'sn_2'),
      () => full.clone('sn_1', { ...PHONE, phoneId: 'ph_2' }),
      () => full.create({ ...PHONE, phoneId: 'ph_3' }),
    ]) {
      const failure: unknown = await work().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(ApiError);
      expect(failure).to.include({ kind: 'unavailable' }).with.property('message').that.contains("no room left on the phone's host"); // prettier-ignore
    }
    expect(await full.listSnapshots()).to.deep.equal(['sn_1']);
    expect(await full.list()).to.deep.equal(['ph_1']);
    // A snapshot that is there can still be restored, and its deletion gives room back.
    await full.restore('ph_1', 'sn_1');
    await full.deleteSnapshot('sn_1');
    freeBytes = MIN_HOST_FREE_BYTES + 10_000;
    clock.turn(500);
    await full.create({ ...PHONE, phoneId: 'ph_3' });
  });

  describe('on a host that has room for a part of it', () => {
    const clock = new FakeClock();
    const enough = { freeBytes: 2 ** 40, freeEntries: 1_000_000 };
    let free: FreeSpace;
    let small: PhoneFolder;
    beforeEach(() => {
      clock.turn(500);
      free = enough;
      const hostSpace = new HostSpace({ measure: async () => free, clock });
      small = new PhoneFolder(root, path.join(root, 'scratch'), hostSpace);
    });

    /** Expects work to fail, and to leave nothing behind. */
    async function isRefused(work: Promise<unknown>): Promise<void> {
      const failure: unknown = await work.catch((error: unknown) => error);
      expect(failure).to.include({ kind: 'unavailable' }).with.property('message').that.contains("no room left on the phone's host"); // prettier-ignore
      expect(await readdir(path.join(root, 'scratch'))).to.deep.equal([]);
      expect(await small.list()).to.deep.equal(['ph_1']);
    }

    it('is not saved with files that are open for writing, which are copied', async () => {
      await writeFile(note(), Buffer.alloc(200_000));
      const { ino } = await stat(note());
      const running = { still: (copy: (open: ReadonlySet<number>) => Promise<void>) => copy(new Set([ino])) };
      free = { freeBytes: MIN_HOST_FREE_BYTES + 200_000 };
      await isRefused(small.snapshot('ph_1', 'sn_1', running));
      expect(await small.listSnapshots()).to.deep.equal([]);
      // The same file takes no room where it is shared.
      clock.turn(500);
      await small.snapshot('ph_1', 'sn_1');
    });

    it('is neither saved nor cloned with more folders and links than its host has room for', async () => {
      for (let at = 0; at < 30; at++) {
        await mkdir(path.join(folder.statePath('ph_1'), `folder${at}`));
        await symlink('phone:x', path.join(folder.statePath('ph_1'), `link${at}`));
      }
      const cloned = { ...PHONE, phoneId: 'ph_2' };
      await small.snapshot('ph_1', 'sn_1');
      for (const little of [
        { ...enough, freeEntries: MIN_HOST_FREE_ENTRIES + 50 },
        { ...enough, freeBytes: MIN_HOST_FREE_BYTES + 50 * 4_096 },
      ]) {
        free = little;
        clock.turn(500);
        await isRefused(small.snapshot('ph_1', 'sn_2'));
        clock.turn(500);
        await isRefused(small.clone('sn_1', cloned));
      }
      expect(await small.listSnapshots()).to.deep.equal(['sn_1']);
      free = enough;
      clock.turn(500);
      await small.clone('sn_1', cloned);
    });

    it('is not saved without room for its list of checksums', async () => {
      for (let at = 0; at < 100; at++) await writeFile(`${note()}${at}`, 'x');
      free = { freeBytes: MIN_HOST_FREE_BYTES + 20_000 };
      await isRefused(small.snapshot('ph_1', 'sn_1'));
      expect(await small.listSnapshots()).to.deep.equal([]);
    });
  });

  it('keeps its state when there is no such snapshot', async () => {
    const failure = await folder.restore('ph_1', 'sn_none').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(await readFile(note(), 'utf8')).to.equal('old');
  });

  it('is taken up from any point where a restore was killed', async () => {
    await folder.snapshot('ph_1', 'sn_1');
    await mkdir(path.join(root, 'scratch/ph_1.restored/half'), { recursive: true });
    await rename(folder.statePath('ph_1'), path.join(root, 'scratch/ph_1.state.old'));
    expect(await folder.inspect('ph_1')).to.have.nested.property('status.state', 'broken');
    await folder.restore('ph_1', 'sn_1');
    expect(await readdir(path.join(root, 'phones/ph_1'))).to.have.members(['base.json', 'phone.json', 'state']);
    expect(await readdir(folder.statePath('ph_1'))).to.have.members(['files', 'note']);
    expect(await readdir(path.join(root, 'scratch'))).to.deep.equal([]);
  });

  it('is absent, broken or stopped as it is', async () => {
    const file = path.join(root, 'phones/ph_1/phone.json');
    const status = async (phoneId: string): Promise<unknown> => folder.inspect(phoneId);
    expect(await status('ph_none')).to.deep.equal({ status: { state: 'absent' } });
    expect(await status('ph_1')).to.deep.equal({ status: { state: 'stopped' } });
    for (const text of ['', '{"phoneId": "ph_1"', 'null', JSON.stringify({ ...PHONE, phoneId: 'ph_2' })]) {
      await writeFile(file, text);
      expect(await status('ph_1'), text)
        .to.have.nested.property('status.problem')
        .that.contains('is damaged');
    }
    await writeFile(file, JSON.stringify(PHONE));
    await rm(path.join(folder.statePath('ph_1'), 'files'), { recursive: true });
    expect(await status('ph_1'))
      .to.have.nested.property('status.problem')
      .that.contains('files are lost');
    await rm(file);
    expect(await status('ph_1')).to.have.nested.property('status.state', 'broken');
    expect(await folder.list()).to.deep.equal(['ph_1']);
    const failure: unknown = await folder.snapshot('ph_1', 'sn_1').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(UnusablePhone);
  });

  it('distinguishes the process that runs a phone from one that is gone', async () => {
    const run = folder.runFile('ph_1');
    await run.write({ process: 3, owner: thisProcess() });
    expect(await folder.inspect('ph_1')).to.deep.equal({ process: 3 });
    await run.write({ process: 3, owner: { ...thisProcess(), started: 'another boot' } });
    const reason = 'the process that it ran in ended';
    expect(await folder.inspect('ph_1')).to.deep.equal({ status: { state: 'stopped', reason } });
    await run.write({ ended: 'power loss' });
    expect(await folder.inspect('ph_1')).to.deep.equal({ status: { state: 'stopped', reason: 'power loss' } });
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
