import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { AdbClient, type Ran } from './adb-client.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { openTunnelPort, tunnelByRpc, type TunnelPort } from './tunnel-port.js';
import { until } from '../../testing/until.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const apk = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));
const LOGIN = 'login required: adb shell service-login CODE';

for (const door of ['port', 'API'] as const)
  describe(`the stock adb through the ${door} of the relay`, () => {
    let world: RelayWorld;
    let adb: AdbClient;
    let relay: AdbRelay;
    let serial: string;
    let folder: string;
    let tunnels: TunnelPort;

    before(async function () {
      if (!AdbClient.isThere()) {
        skip(this, NEEDS_ADB);
      }
      folder = mkdtempSync(join(tmpdir(), 'relay-adb-'));
      world = await startRelayWorld();
      tunnels = await openTunnelPort((client) => void tunnelByRpc(client, world.rpc));
      adb = await AdbClient.start();
    });

    after(async () => {
      if (!AdbClient.isThere()) return;
      await adb.close();
      tunnels.close();
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(async () => {
      relay = await world.enable(door === 'port' ? {} : { allow: [], tunnel: true });
      serial = door === 'port' ? `${relay.host}:${relay.port}` : `127.0.0.1:${tunnels.port}`;
      await adb.run('disconnect');
      await adb.connectAnew(serial);
      world.phone.services.clear();
    });

    const on = (...args: string[]): Promise<Ran> => adb.run('-s', serial, ...args);
    const login = async (): Promise<void> => {
      if (door === 'port')
        expect(await on('shell', 'service-login', relay.code!)).to.deep.include({ status: 0, stdout: 'login ok\n' });
    };

    if (door === 'API')
      it('lends the phone before anything of the client reaches it, and takes the key for the login', async () => {
        expect(world.behind.lent.at(-1)).to.equal('ph_test');
        expect(relay).to.deep.include({ enabled: true, tunnel: true });
        expect([relay.host, relay.port, relay.code]).to.deep.equal([undefined, undefined, undefined]);
        expect((await on('shell', 'echo in')).stdout).to.equal('in\n');
        expect((await on('shell', 'service-login', 'anything')).stdout).to.equal('login ok\n');
        expect((await world.get()).sessions).to.have.length(1);
        expect((await world.get()).sessions[0]).to.deep.include({ loggedIn: true, tunnel: true });
      });
    else {
      describe('before the login', () => {
        it('shows the phone as a device, with its own properties', async () => {
          expect((await on('get-state')).stdout).to.equal('device\n');
          expect((await adb.run('devices', '-l')).stdout).to.contain('model:Phone_720p');
          expect((await on('features')).stdout).to.contain('abb_exec');
        });

        it('shows the command to run, ends with a status, and retries nothing', async () => {
          const file = join(folder, 'early');
          writeFileSync(file, 'x');
          for (const command of [
            ['shell', 'id'],
            ['shell'],
            ['logcat', '-d'],
            ['uninstall', 'com.x'],
            ['remount'],
            ['shell', '-tt', 'id'],
          ]) {
            const ran = await on(...command);
            expect(ran.status, command.join(' ')).to.equal(1);
            expect(ran.stderr).to.contain(LOGIN);
          }
          for (const command of [
            ['push', file, '/sdcard/early'],
            ['pull', '/sdcard/early', file],
            ['install', apk],
            ['reverse', 'tcp:1', 'tcp:2'],
          ]) {
            const ran = await on(...command);
            expect(ran.status, command.join(' ')).to.equal(1);
            expect(ran.stdout + ran.stderr).to.contain(LOGIN);
          }
          for (const command of [
            ['exec-out', 'id'],
            ['shell', '-x', 'id'],
          ]) {
            // Nothing that could be taken for the output.
            const ran = await on(...command);
            expect(ran.status, command.join(' ')).not.to.equal(0);
            expect(ran.stdout).to.equal('');
          }
          for (const command of [['ls', '/sdcard'], ['root'], ['reboot'], ['jdwp'], ['bugreport', file]]) {
            expect((await on(...command)).status, command.join(' ')).not.to.equal(0);
          }
          expect(world.phone.services.recent()).to.deep.equal([]);
          expect((await world.get()).refused['login']).to.be.within(16, 30);
        });

        it('refuses a wrong code with a status', async () => {
          expect(await on('shell', 'service-login', 'wrong')).to.deep.include({ status: 1, stderr: 'wrong code\n' });
          expect((await on('shell', '-x', 'service-login', 'wrong')).status).to.equal(1);
          expect((await on('exec-out', 'service-login', 'wrong')).status).to.equal(255);
          expect((await on('shell', 'service-login')).status).to.equal(1);
          expect((await on('shell', 'id')).stderr).to.contain(LOGIN);
          expect((await on('shell', '-tt', 'service-login', 'wrong')).status).to.equal(1);
          await until(async () => (await world.get()).sessions.every(({ loggedIn }) => !loggedIn));
        });
      });

      it('lends the phone at the login, before anything of the client reaches it', async () => {
        world.behind.lent.length = 0;
        await on('shell', 'service-login', 'wrong');
        expect(world.behind.lent).to.deep.equal([]);
        await login();
        expect(world.behind.lent).to.deep.equal(['ph_test']);
      });

      it('logs in where the phone cannot be lent', async () => {
        world.behind.isAway = true;
        try {
          await login();
        } finally {
          world.behind.isAway = false;
        }
      });

      it('logs in, in every form that clients send', async () => {
        await login();
        for (const command of [
          ['shell', '-x', 'service-login', relay.code!],
          ['exec-out', 'service-login', relay.code!],
          ['shell', `service-login  '${relay.code!.toUpperCase()}' `],
          ['shell', '-T', 'service-login', relay.code!.replaceAll('-', '')],
          ['shell', '-n', 'service-login', relay.code!],
        ]) {
          await adb.connectAnew(serial);
          const ran = await on(...command);
          expect(ran, command.join(' ')).to.deep.include({ status: 0, stdout: 'login ok\n' });
          expect((await on('shell', 'echo in')).stdout).to.equal('in\n');
        }
        expect((await on('shell', '-tt', 'service-login', relay.code!)).stdout).to.equal('login ok\r\n');
        expect(world.phone.services.recent().join()).not.to.contain('service-login');
      });

      it('does not let another connection share a login', async () => {
        await login();
        const other = await AdbClient.start();
        try {
          await other.run('connect', serial);
          expect((await other.run('-s', serial, 'shell', 'id')).stderr).to.contain(LOGIN);
        } finally {
          await other.close();
        }
      });
    }

    it('runs commands with their output, errors, input and status', async () => {
      await login();
      expect(await on('shell', 'echo hello; echo oops >&2; exit 7')).to.deep.include({
        status: 7,
        stdout: 'hello\n',
        stderr: 'oops\n',
      });
      expect((await adb.with({ input: 'from here' }, '-s', serial, 'shell', 'cat')).stdout).to.equal('from here');
      expect((await adb.with({ input: 'echo typed\rexit 3\r' }, '-s', serial, 'shell', '-tt')).stdout).to.contain(
        '\r\ntyped\r\n',
      );
      expect((await on('logcat', '-d')).status).to.equal(0);
      expect((await on('exec-out', 'screencap', '-p')).bytes.subarray(1, 4).toString()).to.equal('PNG');
    });

    it('moves files in both directions unchanged', async () => {
      await login();
      const [file, back] = [join(folder, 'file.bin'), join(folder, 'back.bin')];
      const bytes = randomBytes(9_000_001);
      writeFileSync(file, bytes);
      expect((await on('push', file, '/sdcard/file.bin')).status).to.equal(0);
      expect((await on('pull', '/sdcard/file.bin', back)).status).to.equal(0);
      expect(readFileSync(back).equals(bytes)).to.equal(true);
      expect((await on('exec-out', 'cat', '/sdcard/file.bin')).bytes.equals(bytes)).to.equal(true);
      expect((await adb.with({ input: bytes }, '-s', serial, 'shell', 'cat')).bytes.equals(bytes)).to.equal(true);
      const denied = await on('push', file, '/system/x');
      expect(denied.status).to.equal(1);
      expect(denied.stdout + denied.stderr).to.contain('Read-only file system');
      expect((await on('ls', '/sdcard')).stdout).to.contain('file.bin');
    });

    it('installs in every way', async () => {
      await login();
      expect((await on('install', apk)).stdout).to.contain('Success');
      expect((await on('install', '--no-streaming', '-r', apk)).stdout).to.contain('Success');
      expect((await on('install-multiple', '-r', apk)).stdout).to.contain('Success');
      expect((await on('uninstall', 'com.example.fixture')).stdout).to.equal('Success\n');
    });

    it('follows the log, and ends it with its client', async () => {
      await login();
      const logcat = adb.spawn('-s', serial, 'logcat', '-v', 'brief', 'Later:V', '*:S');
      let text = '';
      logcat.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      await until(() => world.phone.machine.processes.list().some(({ name }) => name.includes('logcat')));
      world.phone.machine.logcat.write('I', 'Later', 'it came');
      await until(() => text.includes('it came'));
      logcat.kill('SIGKILL');
      await until(() => !world.phone.machine.processes.list().some(({ name }) => name.includes('logcat')));
      expect((await on('shell', 'echo still')).stdout).to.equal('still\n');
    });

    it('forwards to ports of the phone, but not to its adbd', async () => {
      await login();
      world.phone.machine.sockets.listen('tcp:8099', async (connection) => {
        await connection.read();
        await connection.write('inside');
      });
      const ask = async (remote: string): Promise<string> => {
        const local = (await on('forward', 'tcp:0', remote)).stdout.trim();
        return new Promise((resolve) => {
          const socket = connect(Number(local), '127.0.0.1', () => socket.write('hello\n'));
          let text = '';
          socket.on('data', (chunk) => (text += chunk.toString()));
          socket.on('error', () => undefined);
          socket.on('close', () => resolve(text));
        });
      };
      expect(await ask('tcp:8099')).to.equal('inside');
      for (const remote of [
        'tcp:5555',
        `tcp:${world.phonePort}`,
        'localabstract:adbd',
        'dev:/dev/null',
        'jdwp:1',
        'vsock:3:5555',
      ]) {
        expect(await ask(remote), remote).to.equal('');
      }
      expect((await world.get()).refused).to.deep.include({ forward: 3, dev: 1, jdwp: 1, vsock: 1 });
    });

    it('ends every refused command with a status, without asking the phone', async () => {
      await login();
      world.phone.services.clear();
      const file = join(folder, 'zip');
      writeFileSync(file, 'x');
      const refused: [rule: string, ...command: string[]][] = [
        ['root', 'root'],
        ['unroot', 'unroot'],
        ['remount', 'remount'],
        ['reboot', 'reboot'],
        ['reboot', 'reboot', 'bootloader'],
        ['disable-verity', 'disable-verity'],
        ['enable-verity', 'enable-verity'],
        ['reverse', 'reverse', 'tcp:1', 'tcp:2'],
        ['reverse', 'reverse', '--list'],
        ['reverse', 'reverse', '--remove-all'],
        ['tcpip', 'tcpip', '5555'],
        ['usb', 'usb'],
        ['jdwp', 'jdwp'],
        ['jdwp', 'track-jdwp'],
        ['sideload', 'sideload', file],
        ['restore', 'restore', file],
        ['reboot', 'shell', 'reboot'],
        ['reboot', 'shell', '-x', 'reboot'],
        ['reboot', 'shell', '-tt', 'reboot'],
        ['reboot', 'exec-out', 'reboot'],
        ['reboot', 'shell', "sync && /system/bin/re''boot -p"],
        ['reboot', 'shell', 'sh', '-c', "'svc power reboot'"],
        ['reboot', 'shell', 'toybox reboot'],
        ['reboot', 'shell', 'setprop sys.powerctl reboot'],
        ['root', 'shell', 'su', '-c', 'id'],
        ['remount', 'shell', 'mount -o rw,remount /'],
      ];
      const expected: Record<string, number> = {};
      for (const [rule, ...command] of refused) {
        const ran = await on(...command);
        expect(ran.status, command.join(' ')).to.be.a('number').and.not.equal(0);
        expected[rule] = (expected[rule] ?? 0) + 1;
      }
      // adb tries two forms, one after the other.
      expected['sideload'] = 2;
      expect((await world.get()).refused).to.deep.equal(expected);
      expect(world.phone.services.recent()).to.deep.equal([]);
      expect((await on('shell', 'echo reboot su; ls /system/bin/reboot')).stdout).to.contain('reboot su');
    });

    it('ends a running push when the phone dies, and leaves nothing behind', async () => {
      await login();
      const file = join(folder, 'large');
      writeFileSync(file, Buffer.alloc(200 * 1024 * 1024));
      const stored = async (): Promise<number> => (await world.phone.machine.shellFiles.usage()).usedBytes;
      const before = await stored();
      const pushing = on('push', file, '/sdcard/large');
      // Into the middle of the file: before it adb itself aborts.
      await until(async () => (await stored()) > before + 1024 * 1024);
      world.phone.faults.adbDown = true;
      const pushed = await pushing;
      expect(pushed.status).to.equal(1);
      await adb.run('disconnect');
      await until(async () => (await world.get()).sessions.length === 0);
      world.phone.faults.clear();
      await until(async () => (await adb.run('connect', serial)).stdout.startsWith('connected to'));
      await login();
      expect((await on('shell', 'ls /sdcard')).stdout).not.to.contain('large');
    });
  });
