import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { PhoneFileError } from './file-error.js';

describe('the file system', () => {
  let directory: string;
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'files-'));
    await writeFile(path.join(directory, 'secret'), 'of the host');
    world = await startPhone({ directory: path.join(directory, 'phone'), storageBytes: 1_000_000 });
  });
  after(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const codeOf = async (run: Promise<unknown>): Promise<string> =>
    run.then(
      () => 'none',
      (error: unknown) => (error instanceof PhoneFileError ? error.code : String(error)),
    );

  it('leads nowhere out of the phone', async () => {
    const { shellFiles, files } = world.phone.machine;
    for (const name of [
      '/sdcard/../../../../../../secret',
      '/data/local/tmp/../../../../secret',
      '/secret',
      '/etc/passwd',
      '/sdcard/a\0b',
    ])
      // prettier-ignore
      expect(await codeOf(shellFiles.read(name)), name).to.be.oneOf(['ENOENT', 'EINVAL', 'EACCES']);
    await shellFiles.symlink(path.join(directory, 'secret'), '/data/local/tmp/link');
    await shellFiles.symlink('../../../../../../../../secret', '/data/local/tmp/relative');
    for (const name of ['link', 'relative']) {
      expect(await codeOf(files.read(`/data/local/tmp/${name}`)), name).to.equal('ENOENT');
      expect(await readlink(path.join(directory, 'phone/files/data/local/tmp', name))).to.match(/^phone:[^/]+$/);
    }
    expect(await codeOf(shellFiles.write('/data/local/tmp/link', 'x'))).to.not.equal('none');
    expect(await readdir(directory)).to.have.members(['secret', 'phone']);
  });

  it('replaces a link by a move to its name, and leaves the target of the link', async () => {
    const { machine } = world.phone;
    const { stdout } = await runScript(
      machine,
      'mkdir /data/local/tmp/moves; cd /data/local/tmp/moves; echo kept > target; ln -s target link; echo new > file; mv file link; cat target link; readlink link; ls -a',
    );
    expect(stdout.split('\n')).to.deep.equal(['kept', 'new', '.', '..', 'link', 'target', '']);
  });

  it('follows the links it has, and gives up in a circle', async () => {
    const { machine } = world.phone;
    await runScript(machine, 'cd /data/local/tmp; echo hi > real; ln -s real soft; ln -s b a; ln -s a b');
    expect((await runScript(machine, 'cat /data/local/tmp/soft; readlink /data/local/tmp/soft')).stdout).to.equal(
      'hi\nreal\n',
    );
    expect(await codeOf(machine.shellFiles.read('/data/local/tmp/a'))).to.equal('ELOOP');
    expect(await machine.shellFiles.realPath('/sdcard/Download')).to.equal('/storage/emulated/0/Download');
  });

  it('keeps the shell out of apps and off the system', async () => {
    const { files, shellFiles } = world.phone.machine;
    await files.write('/data/data/com.x/notes.json', '{}');
    expect((await files.read('/data/data/com.x/notes.json')).toString()).to.equal('{}');
    expect(await codeOf(shellFiles.read('/data/data/com.x/notes.json'))).to.equal('EACCES');
    expect(await codeOf(shellFiles.list('/data'))).to.equal('EACCES');
    expect(await codeOf(shellFiles.write('/system/x', ''))).to.equal('EROFS');
    expect(await codeOf(shellFiles.write('/data/x', ''))).to.equal('EACCES');
    expect(await codeOf(shellFiles.removeTree('/storage/emulated/0'))).to.not.equal('none');
  });

  it('is full when it is full, and has room again after a delete', async () => {
    const { shellFiles } = world.phone.machine;
    const before = (await shellFiles.usage()).usedBytes;
    await shellFiles.write('/sdcard/half', Buffer.alloc(600_000));
    expect(await codeOf(shellFiles.write('/sdcard/more', Buffer.alloc(600_000)))).to.equal('ENOSPC');
    expect(await shellFiles.exists('/sdcard/more')).to.equal(false);
    await shellFiles.unlink('/sdcard/half');
    await shellFiles.write('/sdcard/more', Buffer.alloc(600_000));
    await shellFiles.write('/sdcard/more', Buffer.alloc(100_000));
    expect((await shellFiles.usage()).usedBytes - before).to.equal(104_096);
    const { stderr } = await runScript(world.phone.machine, 'yes > /sdcard/fill');
    expect(stderr).to.contain('No space left on device');
    await shellFiles.unlink('/sdcard/fill');
  });

  it('shows files made up on reading', async () => {
    expect((await runScript(world.phone.machine, 'cat /proc/version; echo x > /dev/null; head -c 4 /dev/zero | xxd -p')).stdout).to.match(/^Linux version .*\n00000000\n$/); // prettier-ignore
  });
});
