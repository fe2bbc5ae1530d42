import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { installPacked } from '../testing/packed-package.js';
import { AdbCommand } from '../testing/phone/adb-command.js';
import { NEEDS_ADB, skip } from '../testing/skip.js';

const apk = fileURLToPath(new URL('../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));

describe('the simulated phone, packed and installed in a program', function () {
  // A compiler and a package manager run, on machines that do other things too.
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), 'simulated-phone-'));
  let phone: ChildProcessByStdio<null, Readable, null> | undefined;
  before(function () {
    if (!AdbCommand.isInstalled()) {
      skip(this, NEEDS_ADB);
    }
  });
  after(() => {
    phone?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('boots by its command, draws its screen and installs an app for a stock adb', async () => {
    const { program } = await installPacked('simulated-phone', folder, { built: false });
    const command = join(program, 'node_modules', '.bin', 'simulated-phone');
    phone = spawn(command, ['--port', '0', '--data', join(folder, 'phone')], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    for await (const chunk of phone.stdout) {
      printed += String(chunk);
      if (printed.includes('\n')) break;
    }
    const port = /^phone ready on 127\.0\.0\.1:(\d+)\n/.exec(printed)?.[1];
    expect(port, printed).not.to.equal(undefined);
    const adb = await AdbCommand.start(Number(port));
    if (adb === undefined) throw new Error('adb has gone');
    try {
      expect((await adb.run('shell', 'getprop', 'ro.build.version.release')).stdout).to.equal('14\n');
      const { bytes } = await adb.run('exec-out', 'screencap', '-p');
      expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
      expect((await adb.run('shell', 'uiautomator', 'dump', '/dev/tty')).stdout).to.contain('<hierarchy');
      expect((await adb.run('install', apk)).stdout).to.contain('Success');
    } finally {
      await adb.stop();
    }
    phone.kill('SIGTERM');
    expect((await once(phone, 'exit'))[0]).to.equal(0);
  });
});
