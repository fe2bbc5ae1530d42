import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { readIdentity } from '../../phone/link/identity.js';
import { PhoneLink } from '../../phone/link/phone-link.js';
import { freePort } from '../../testing/free-port.js';
import { EXTRA_APPS_FOLDER } from '../../testing/phone/extra-apps.js';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const main = fileURLToPath(new URL('main.js', import.meta.url));

/** The command, as `npm run phone` runs it. */
class PhoneProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  stdout = '';
  stderr = '';

  constructor(...flags: string[]) {
    const env = { ...process.env, SIMULATED_BOOT_MS: '50' };
    this.#child = spawn(process.execPath, [main, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.#child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  /** Returns the port that it prints when it is ready. */
  async port(): Promise<number> {
    for (;;) {
      const ready = /^phone ready on 127\.0\.0\.1:(\d+)\n/.exec(this.stdout);
      if (ready) return Number(ready[1]);
      if (this.#child.exitCode !== null) throw new Error(this.stderr);
      await Promise.race([once(this.#child.stdout, 'data'), once(this.#child, 'exit')]);
    }
  }

  /** Returns its exit status, once it has ended. */
  async status(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'close');
    return this.#child.exitCode;
  }

  stop(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.status();
  }
}

function openLink(port: number): Promise<PhoneLink> {
  return PhoneLink.open({
    ...{ host: '127.0.0.1', port, clock: systemClock, timeoutMs: 60_000 },
    connectSocket: (host, to) => net.connect({ host, port: to }),
  });
}

describe('npm run phone', function () {
  let folder: string;
  const started: PhoneProcess[] = [];
  const run = (...flags: string[]): PhoneProcess => {
    const one = new PhoneProcess(...flags);
    started.push(one);
    return one;
  };

  before(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'alone-'))));
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop('SIGKILL');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('refuses settings that it cannot serve in one line, with status 1', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as net.AddressInfo;
    const data = path.join(folder, 'refused');
    const cases: [flags: string[], line: RegExp][] = [
      [['--port', '1'], /^--data is missing\. See --help\.\n$/],
      [['--port', '0', '--data', data, '--auth', data], /^The keys file .* cannot be read \(ENOENT\)\.\n$/],
      [['--port', '0', '--data', data, '--apps', data], /^The apps folder .* cannot be read \(ENOENT\)\.\n$/],
      [['--port', String(port), '--data', data], /^Port \d+ of 127\.0\.0\.1 is taken\. .*\n$/],
    ];
    for (const [flags, line] of cases) {
      const refused = run(...flags);
      expect(await refused.status(), flags.join(' ')).to.equal(1);
      expect(refused.stderr).to.match(line);
    }
    taken.close();
  });

  it('prints its flags', async () => {
    const help = run('--help');
    expect(await help.status()).to.equal(0);
    expect(help.stdout).to.contain('--delay-capture-ms');
  });

  it('keeps its phone for one process and one model', async () => {
    const data = path.join(folder, 'kept');
    const first = run('--port', '0', '--data', data, '--model', 'phone-1080p');
    await first.port();
    const second = run('--port', '0', '--data', data);
    expect(await second.status()).to.equal(1);
    expect(second.stderr).to.contain('in use');
    expect(await first.stop('SIGTERM')).to.equal(0);
    const other = run('--port', '0', '--data', data, '--model', 'phone-720p');
    expect(await other.status()).to.equal(1);
    expect(other.stderr).to.contain('is a phone-1080p');
  });

  it('has the apps of a folder', async () => {
    const phone = run('--port', '0', '--data', path.join(folder, 'apps'), '--apps', EXTRA_APPS_FOLDER);
    const link = await openLink(await phone.port());
    const options = { timeoutMs: 60_000, maxBytes: 65_536, doing: 'start an app' };
    const { stdout } = await link.shell('am start -W -n com.cloudphone.lab/.Form', options);
    link.close();
    expect(stdout.toString()).to.contain('Status: ok');
  });

  it('is known to have restarted in a container, although its kernel did not', async function () {
    if (process.platform !== 'linux') skip(this, 'the kernel of another system has no boot id');
    const data = path.join(folder, 'container');
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const seen = new Set<string>();
    for (let start = 0; start < 2; start++) {
      const phone = run('--port', '0', '--data', data, '--container');
      const link = await openLink(await phone.port());
      seen.add(await readIdentity(link, { timeoutMs: 60_000 }));
      link.close();
      await phone.stop('SIGKILL');
    }
    expect(seen.size, [...seen].join()).to.equal(2);
    for (const identity of seen) expect(identity.split('/')[1]).to.match(new RegExp(`^${bootId}\\.\\d+$`));
  });

  describe("with Debian's adb", () => {
    before(function () {
      if (AdbCommand.isInstalled()) return;
      skip(this, NEEDS_ADB);
    });

    it('reboots with the same port, serial number and state and another boot id, and so does a restart', async () => {
      const data = path.join(folder, 'reboot');
      const phone = run('--port', '0', '--data', data);
      const port = await phone.port();
      const adb = new AdbCommand({ serverPort: await freePort(), serial: `127.0.0.1:${port}` });
      try {
        await adb.host('connect', adb.serial);
        const readState = async (): Promise<{ serial: string; bootId: string; file: string }> => {
          const script = 'getprop ro.serialno; cat /proc/sys/kernel/random/boot_id /sdcard/file';
          const [serial = '', bootId = '', file = ''] = (await adb.run('shell', script)).stdout.split('\n');
          return { serial, bootId, file };
        };
        const booted = async (): Promise<void> => {
          await adb.run('wait-for-device');
          while ((await adb.run('shell', 'getprop sys.boot_completed')).stdout !== '1\n');
        };
        await adb.run('shell', 'echo kept > /sdcard/file');
        const seen = [await readState()];
        for (const reboot of [['reboot'], ['shell', 'reboot'], ['shell', 'svc power reboot']]) {
          expect((await adb.run(...reboot)).status, reboot.join(' ')).to.equal(0);
          // Until the new boot, the phone is away or reports that its boot is not complete.
          while ((await readState()).bootId === seen.at(-1)?.bootId || (await readState()).file !== 'kept')
            await booted();
          seen.push(await readState());
        }
        expect(await phone.stop('SIGTERM')).to.equal(0);
        const again = run('--port', String(port), '--data', data);
        await again.port();
        await adb.host('disconnect', adb.serial);
        await adb.host('connect', adb.serial);
        seen.push(await readState());
        expect(new Set(seen.map(({ bootId }) => bootId)).size).to.equal(5);
        expect(new Set(seen.map(({ serial }) => serial)).size).to.equal(1);
        expect(seen.map(({ file }) => file)).to.deep.equal(Array(5).fill('kept'));
        expect((await adb.run('reboot', 'bootloader')).status).to.equal(1);
        expect((await readState()).bootId).to.equal(seen.at(-1)?.bootId);
      } finally {
        await adb.stop();
      }
    });
  });
});
