import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdbRelay } from '../../proto/gen/cloudphone/relay/v1/relay_pb.js';
import { AdbClient } from './adb-client.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';

describe('the stock adb through the relay', () => {
  let world: RelayWorld;
  let adb: AdbClient;
  let relay: AdbRelay;
  let serial: string;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'relay-adb-'));
    world = await startRelayWorld();
    adb = await AdbClient.start();
  });

  after(async () => {
    await adb.close();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    relay = await world.enable();
    serial = `${relay.host}:${relay.port}`;
    await adb.run('disconnect');
    await adb.run('connect', serial);
  });

  const on = (...args: string[]) => adb.run('-s', serial, ...args);
  const login = async () => {
    const ran = await on('shell', 'service-login', relay.code!);
    expect(ran).to.deep.include({ status: 0, stdout: 'login ok\n' });
  };

  it('logs in, in every form in which a client may send it', async () => {
    await login();
    expect((await on('shell', '-x', 'service-login', relay.code!)).stdout).to.equal('login ok\n');
    expect((await on('shell', '-tt', 'service-login', relay.code!)).stdout).to.contain('login ok');
    expect((await on('exec-out', 'service-login', relay.code!)).stdout).to.equal('login ok\n');
    expect((await on('shell', `service-login  '${relay.code!.toUpperCase()}' `)).stdout).to.equal('login ok\n');
    expect((await on('shell', 'service-login', relay.code!.replaceAll('-', ''))).status).to.equal(0);
  });

  it('runs commands with their output, errors and status', async () => {
    await login();
    expect(await on('shell', 'echo hello; echo oops >&2; exit 7')).to.deep.include({
      status: 7,
      stdout: 'hello\n',
      stderr: 'oops\n',
    });
    expect((await adb.with({ input: 'from here' }, '-s', serial, 'shell', 'cat')).stdout).to.equal('from here');
    expect((await on('get-state')).stdout).to.equal('device\n');
    expect((await on('shell', 'getprop', 'ro.product.model')).stdout.trim()).not.to.equal('');
  });

  it('moves files there and back as they are', async () => {
    await login();
    const file = join(folder, 'file.bin');
    const bytes = randomBytes(3_000_001);
    writeFileSync(file, bytes);
    expect((await on('push', file, '/sdcard/file.bin')).status).to.equal(0);
    const back = join(folder, 'back.bin');
    expect((await on('pull', '/sdcard/file.bin', back)).status).to.equal(0);
    expect(readFileSync(back).equals(bytes)).to.equal(true);
    expect((await on('exec-out', 'cat', '/sdcard/file.bin')).bytes.equals(bytes)).to.equal(true);
  });
});
