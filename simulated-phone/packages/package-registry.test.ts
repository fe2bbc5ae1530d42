import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url)));

describe('installing', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  beforeEach(async () => (world = await startPhone({ storageBytes: 400_000 })));
  afterEach(() => world.stop());

  const install = async (name: string, words = ''): Promise<string> => {
    const stdin = await fixture(name);
    return (await runScript(world.phone.machine, `cmd package 'install' ${words} -S ${stdin.length}`, { stdin }))
      .stdout;
  };

  /** Returns the bytes in use when there is no app. They include the folder for files on their way, which the first file makes. */
  const emptyBytes = async (): Promise<number> => {
    const { files } = world.phone.machine;
    await (await files.stage(0o644)).abort();
    return (await files.usage()).usedBytes;
  };

  it('reports failures in the words of the package installer', async () => {
    expect(await install('fixture-v2.apk')).to.equal('Success\n');
    expect(await install('fixture-v1.apk')).to.match(/^Failure \[INSTALL_FAILED_VERSION_DOWNGRADE: /);
    expect(await install('fixture-v1.apk', '-d')).to.equal('Success\n');
    expect(await install('fixture-jar-signed.apk')).to.equal('Success\n');
    expect(await install('fixture-other-key.apk')).to.match(/^Failure \[INSTALL_FAILED_UPDATE_INCOMPATIBLE: /);
    expect(await install('fixture-v2.apk', '-R')).to.match(/^Failure \[INSTALL_FAILED_ALREADY_EXISTS: /);
    expect(await install('fixture-test-only.apk')).to.match(/^Failure \[INSTALL_FAILED_TEST_ONLY: /);
    expect(await install('fixture-test-only.apk', '-t')).to.equal('Success\n');
    expect(await install('fixture-unsigned.apk')).to.match(/^Failure \[INSTALL_PARSE_FAILED_NO_CERTIFICATES: /);
    const { stdout } = await runScript(world.phone.machine, 'pm install -S 5', { stdin: 'hello' });
    expect(stdout).to.match(/^Failure \[INSTALL_PARSE_FAILED_NOT_APK: /);
  });

  it('keeps one copy of the code and gives the room back', async () => {
    const { machine } = world.phone;
    const before = await emptyBytes();
    for (let round = 0; round < 6; round++) expect(await install('fixture-v2.apk')).to.equal('Success\n');
    // The app is one file of 8,687 bytes, in two folders.
    expect((await machine.files.usage()).usedBytes - before).to.be.within(20_000, 21_000);
    const own = '/sdcard/Android/obb/com.example.fixture';
    await runScript(machine, `mkdir -p ${own}; echo level > ${own}/main.42.com.example.fixture.obb`);
    const { stdout } = await runScript(machine, 'pm uninstall com.example.fixture; pm list packages -3');
    expect(stdout).to.equal('Success\n');
    expect((await machine.files.usage()).usedBytes).to.equal(before);
  });

  it('reports that there is no room, and an app cut off in the middle leaves nothing', async () => {
    const { machine } = world.phone;
    const before = await emptyBytes();
    const full = await runScript(machine, 'pm install -S 600000', { stdin: Buffer.alloc(600_000) });
    expect(full.stdout).to.match(/^Failure \[INSTALL_FAILED_INSUFFICIENT_STORAGE: /);
    const cut = await runScript(machine, 'pm install -S 9000', { stdin: Buffer.alloc(100) });
    expect(cut.stdout).to.match(/^Failure \[INSTALL_FAILED_INVALID_APK: .*8900 bytes are missing/);
    expect((await machine.files.usage()).usedBytes).to.equal(before);
  });

  it('installs in a session, and not one that was given up', async () => {
    const { machine } = world.phone;
    const stdin = await fixture('fixture-v2.apk');
    const created = (await runScript(machine, 'pm install-create -r -S 1')).stdout;
    const id = /^Success: created install session \[(\d+)\]\n$/.exec(created)?.[1] ?? '';
    const written = await runScript(machine, `pm install-write -S ${stdin.length} ${id} base.apk -`, { stdin });
    expect(written.stdout).to.equal(`Success: streamed ${stdin.length} bytes\n`);
    expect((await runScript(machine, `pm install-commit ${id}`)).stdout).to.equal('Success\n');
    expect((await runScript(machine, `pm install-commit ${id}`)).stdout).to.match(/^Failure /);
    expect(machine.packages.get('com.example.fixture')?.versionName).to.equal('1.2.3');
  });

  it('installs splits with their base, and shows where each is', async () => {
    const { machine } = world.phone;
    const id = /\[(\d+)\]/.exec((await runScript(machine, 'pm install-create -r')).stdout)?.[1] ?? '';
    for (const name of ['fixture-v2.apk', 'fixture-split_de.apk']) {
      const stdin = await fixture(name);
      await runScript(machine, `pm install-write -S ${stdin.length} ${id} ${name} -`, { stdin });
    }
    expect((await runScript(machine, `pm install-commit ${id}`)).stdout).to.equal('Success\n');
    const { stdout } = await runScript(machine, 'pm path com.example.fixture');
    expect(stdout).to.match(/^package:(\S+)\/base\.apk\npackage:\1\/split_config\.de\.apk\n$/);
    const files = stdout.replaceAll('package:', '').trim().split('\n').join(' ');
    expect((await runScript(machine, `ls ${files}`)).status).to.equal(0);
    const dump = (await runScript(machine, 'dumpsys package com.example.fixture')).stdout;
    expect(dump).to.contain('splits=[base, config.de]');
  });

  it('notifies listeners once per change', async () => {
    let changes = 0;
    world.phone.machine.packages.onChange(() => changes++);
    await install('fixture-v2.apk');
    expect(changes).to.equal(1);
  });
});
