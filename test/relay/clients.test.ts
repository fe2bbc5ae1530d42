import adbkit from '@devicefarmer/adbkit';
import { Adb, AdbDaemonTransport } from '@yume-chan/adb';
import { ReadableStream } from '@yume-chan/stream-extra';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { adbConnection } from '../../phone/link/adb-connection.js';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { AdbClient } from './adb-client.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { until } from '../../testing/until.js';
import { startWindowedPhone, type WindowedPhone, WINDOWED_IDENTITY } from './windowed-phone.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('adb libraries through the relay', () => {
  let world: RelayWorld;
  let relay: AdbRelay;

  before(async () => (world = await startRelayWorld({ limits: { transferBytes: 8_000_000 } })));
  after(() => world.close());
  beforeEach(async () => (relay = await world.enable()));

  const yume = async (): Promise<Adb> => {
    const socket = connect({ port: relay.port!, host: '127.0.0.1', noDelay: true });
    await new Promise((resolve) => socket.once('connect', resolve));
    const transport = await AdbDaemonTransport.authenticate({
      serial: 'relay',
      connection: adbConnection(socket),
      credentialStore: { generateKey: () => Promise.reject(new Error('no key is asked for')), *iterateKeys() {} },
    });
    return new Adb(transport);
  };
  const shell = (adb: Adb, command: string) => adb.subprocess.shellProtocol!.spawnWaitText(command);
  const streamOf = (bytes: Buffer): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 50_000) controller.enqueue(bytes.subarray(at, at + 50_000));
        controller.close();
      },
    });
  const push = async (adb: Adb, bytes: Buffer, filename = '/sdcard/y.bin'): Promise<string> => {
    const sync = await adb.sync();
    try {
      await sync.write({ filename, file: streamOf(bytes), permission: 0o644, mtime: 1_700_000_000 });
      return 'ok';
    } catch (error) {
      return String(error);
    } finally {
      await sync.dispose();
    }
  };

  it('@yume-chan/adb logs in, runs, writes and reads', async () => {
    const adb = await yume();
    expect(await shell(adb, 'id')).to.deep.include({
      exitCode: 1,
      stderr: 'login required: adb shell service-login CODE\n',
    });
    expect(await push(adb, Buffer.from('x'))).to.contain('login required');
    expect(await shell(adb, `service-login ${relay.code}`)).to.deep.equal({
      exitCode: 0,
      stdout: 'login ok\n',
      stderr: '',
    });
    expect(await shell(adb, 'echo out; exit 3')).to.deep.equal({ exitCode: 3, stdout: 'out\n', stderr: '' });
    const bytes = randomBytes(3_000_000);
    expect(await push(adb, bytes)).to.equal('ok');
    const sync = await adb.sync();
    const parts: Uint8Array[] = [];
    for await (const part of sync.read('/sdcard/y.bin')) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).to.equal(true);
    await sync.dispose();
    expect(await push(adb, bytes, '/sdcard/z.bin')).to.contain('the relay moves');
    expect((await shell(adb, 'ls /sdcard')).stdout).not.to.contain('z.bin');
    await adb.close();
  });

  it('adbkit logs in, runs, pushes and pulls', async function () {
    if (!AdbClient.isThere()) {
      skip(this, NEEDS_ADB);
    }
    const server = await AdbClient.start();
    try {
      const client = adbkit.Adb.createClient({ port: server.serverPort });
      await client.connect('127.0.0.1', relay.port);
      const device = client.getDevice(`127.0.0.1:${relay.port}`);
      const run = async (command: string): Promise<string> =>
        (await adbkit.Adb.util.readAll(await device.shell(command))).toString();
      // It speaks no shell protocol with a status: a text would be taken for the output.
      expect(await run('id').catch(String)).to.contain("'closed'");
      expect(await run(`service-login ${relay.code}`)).to.equal('login ok\n');
      expect(await run('echo hello')).to.equal('hello\n');
      const bytes = randomBytes(1_000_000);
      const pushed = await device.push(Readable.from([bytes], { objectMode: false }), '/sdcard/kit.bin');
      await new Promise((resolve, reject) => pushed.on('end', resolve).on('error', reject));
      const pulled = await device.pull('/sdcard/kit.bin');
      expect((await adbkit.Adb.util.readAll(pulled)).equals(bytes)).to.equal(true);
    } finally {
      await server.close();
    }
  });

  describe('when client and phone agree on delayed_ack', () => {
    let phone: WindowedPhone;
    let simulated: RelayWorld['behind']['phone'];

    before(async () => {
      phone = await startWindowedPhone();
      simulated = world.behind.phone;
      world.behind.phone = {
        phoneId: 'ph_test',
        generation: 7,
        host: '127.0.0.1',
        port: phone.port,
        identity: WINDOWED_IDENTITY,
      };
    });
    after(async () => {
      world.behind.phone = simulated;
      await phone.close();
    });

    it('passes windows through, with several unacknowledged writes', async () => {
      const adb = await yume();
      expect(adb.banner.features).to.include('delayed_ack');
      expect((await shell(adb, `service-login ${relay.code}`)).stdout).to.equal('login ok\n');
      expect(await push(adb, randomBytes(6_000_000))).to.equal('ok');
      expect(phone.files).to.deep.equal([6_000_000]);
      expect(phone.wasAhead).to.equal(true);
      await adb.close();
    });

    it('cuts a push at the limit and acknowledges the writes that the phone had not', async () => {
      const adb = await yume();
      expect((await shell(adb, `service-login ${relay.code}`)).stdout).to.equal('login ok\n');
      phone.files.length = 0;
      for (let count = 0; count < 3; count++) {
        expect(await push(adb, randomBytes(9_000_000))).to.contain('the relay moves');
      }
      expect(phone.files).to.deep.equal([]);
      expect((await shell(adb, 'echo')).exitCode).to.equal(0);
      await adb.close();
      await until(async () => (await world.get()).sessions.length === 0);
    });
  });
});
