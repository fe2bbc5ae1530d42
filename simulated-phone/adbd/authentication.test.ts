import { generateKeyPairSync } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Adb, AdbDaemonTransport, adbGeneratePublicKey } from '@yume-chan/adb';
import { expect } from 'chai';
import { adbConnection } from '../../phone/link/adb-connection.js';
import { freePort } from '../../testing/free-port.js';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { KeysFile } from '../../phone/adb/device/trusted-keys.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

/** Makes a key. Returns it as @yume-chan/adb stores it, and its line in a keys file. */
function newKey(): { key: { buffer: Uint8Array; name: string }; line: string } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const buffer = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    key: { buffer, name: 'tester' },
    line: `${Buffer.from(adbGeneratePublicKey(buffer)).toString('base64')} tester`,
  };
}

describe('ADB authentication', () => {
  let folder: string;
  let keysFile: string;
  let world: Awaited<ReturnType<typeof startPhone>>;
  const trusted = newKey();

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'auth-'));
    keysFile = path.join(folder, 'adb_keys');
    await writeFile(keysFile, `# for this test\n\n${trusted.line}\n`);
    world = await startPhone({ trustedKeys: new KeysFile(keysFile) });
  });
  after(async () => {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Connects with @yume-chan/adb; fails when the phone has not let it in after `ms`. */
  async function connect(keys: readonly { buffer: Uint8Array; name: string }[]): Promise<Adb> {
    const socket = net.connect(world.port, '127.0.0.1');
    const transport = await AdbDaemonTransport.authenticate({
      serial: 'test',
      connection: adbConnection(socket),
      credentialStore: { generateKey: () => newKey().key, iterateKeys: () => keys[Symbol.iterator]() },
    });
    return new Adb(transport);
  }

  it("lets @yume-chan/adb in with a trusted key, also when it is the client's third", async () => {
    for (const keys of [[trusted.key], [newKey().key, newKey().key, trusted.key]]) {
      const adb = await connect(keys);
      expect(await adb.getProp('ro.adb.secure')).to.equal('1');
      await adb.close();
    }
  });

  it('gives a client without a trusted key no response, and no stream', async () => {
    const socket = net.connect(world.port, '127.0.0.1');
    const types: string[] = [];
    const connection = adbConnection(socket);
    const authenticated = AdbDaemonTransport.authenticate({
      serial: 'test',
      connection: {
        readable: connection.readable.pipeThrough(
          new TransformStream({
            transform: (packet, controller) => {
              types.push(`${packet.command.toString(16)} ${packet.arg0}`);
              controller.enqueue(packet);
            },
          }) as never,
        ),
        writable: connection.writable,
      },
      credentialStore: { generateKey: () => newKey().key, iterateKeys: () => [newKey().key][Symbol.iterator]() },
    });
    const outcome = authenticated.then(
      () => 'online',
      () => 'closed',
    );
    while (types.length < 2) await new Promise((resolve) => socket.once('data', resolve));
    // The public key is on its way; the phone stays silent, and hangs up only when it goes down.
    await world.phone.shutdown();
    expect(await outcome).to.equal('closed');
    expect(types).to.deep.equal(['48545541 1', '48545541 1']);
    await world.phone.boot();
  });

  it('names the line of a keys file that is not a key', async () => {
    const bad = path.join(folder, 'bad_keys');
    await writeFile(bad, `${trusted.line}\nssh-rsa AAAA\n`);
    expect(() => new KeysFile(bad)).to.throw(`${bad}, line 2: not a key`);
    expect(() => new KeysFile(path.join(folder, 'none'))).to.throw('cannot be read (ENOENT)');
  });

  describe("with Debian's adb", () => {
    let adb: AdbCommand;
    before(async function () {
      if (!AdbCommand.isInstalled()) {
        skip(this, NEEDS_ADB);
      }
      // adb gets a home of its own, in which it makes its key pair.
      const environment = { ...process.env, HOME: folder, ADB_VENDOR_KEYS: '' };
      adb = new AdbCommand({ serverPort: await freePort(), serial: `127.0.0.1:${world.port}`, environment });
    });
    after(async () => {
      if (adb as AdbCommand | undefined) await adb.stop();
    });

    it('is unauthorized until its key is in the file, and online from the next connection on', async () => {
      expect((await adb.host('connect', adb.serial)).stdout).to.contain('failed to authenticate');
      expect((await adb.host('devices')).stdout).to.contain(`${adb.serial}\tunauthorized`);
      expect((await adb.run('shell', 'echo in')).stderr).to.contain('unauthorized');
      await appendFile(keysFile, await readFile(path.join(folder, '.android/adbkey.pub'), 'utf8'));
      await adb.host('disconnect', adb.serial);
      expect((await adb.host('connect', adb.serial)).stdout).to.contain('connected to');
      expect((await adb.run('shell', 'echo in')).stdout).to.equal('in\n');
    });
  });
});
