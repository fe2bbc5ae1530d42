import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { AttachedWorld } from './testing/attached-world.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const main = fileURLToPath(new URL('../../simulated-phone/alone/main.js', import.meta.url));

interface Result {
  status: number;
  stdout: string;
  stderr: string;
}

/** A real adb with a server and a home of its own. */
class Adb {
  readonly port: number;
  readonly #home: string;

  constructor(port: number, home: string) {
    mkdirSync(home, { recursive: true });
    this.port = port;
    this.#home = home;
  }

  run(...args: string[]): Promise<Result> {
    const env = { ...process.env, HOME: this.#home };
    return new Promise((resolve) => {
      execFile('adb', ['-P', String(this.port), ...args], { env, timeout: 15_000 }, (error, stdout, stderr) => {
        resolve({ status: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
      });
    });
  }
}

describe('attached phones, with the driver and the phone as two programs', function () {
  let world: AttachedWorld;

  before(function () {
    if (spawnSync('adb', ['version']).status !== 0) skip(this, NEEDS_ADB);
  });
  beforeEach(() => (world = new AttachedWorld()));
  afterEach(() => world.end());

  /** Runs `npm run phone` until it is ready. */
  async function phoneProgram(port: number, ...flags: string[]): Promise<ChildProcess> {
    const data = join(world.directory, `alone-${port}`);
    const env = { ...process.env, SIMULATED_BOOT_MS: '50' };
    const child = spawn(process.execPath, [main, '--port', String(port), '--data', data, ...flags], { env });
    world.onEnd(async () => child.kill('SIGKILL'));
    await new Promise<void>((resolve) => child.stdout.on('data', (text: Buffer) => {
      if (text.toString().includes('phone ready')) resolve();
    })); // prettier-ignore
    return child;
  }

  async function adb(name: string): Promise<Adb> {
    const program = new Adb(await freePort(), join(world.directory, name));
    world.onEnd(() => program.run('kill-server'));
    return program;
  }

  it('authenticates, restarts the phone and notices kill -9 of it', async () => {
    const port = await freePort();
    const keys = join(world.directory, 'adb_keys');
    writeFileSync(keys, readFileSync(join(world.directory, 'adbkey.pub')));
    const program = await phoneProgram(port, '--auth', keys);
    world.list({ address: `127.0.0.1:${port}` });
    await world.open();
    const first = await world.run('ph_1', `127.0.0.1:${port}`);
    const second = await world.driver.start('ph_1', { endedIdentity: first.identity });
    expect(second.identity).not.to.equal(first.identity);
    const client = await adb('client');
    const serial = `127.0.0.1:${second.port}`;
    expect((await client.run('connect', serial)).stdout).to.contain('connected to');
    expect(await client.run('-s', serial, 'shell', 'echo out; exit 7')).to.include({ status: 7, stdout: 'out\n' });
    program.kill('SIGKILL');
    await world.until('ph_1', ({ state }) => state === 'broken');
    await phoneProgram(port, '--auth', keys);
    await world.until('ph_1', ({ state }) => state === 'running');
    expect(await world.shell({ host: second.host, port: second.port }, 'echo back')).to.equal('back\n');
  });

  it('reaches a phone through an adb server, with the real adb as client and as server', async () => {
    const port = await freePort();
    const keys = join(world.directory, 'adb_keys');
    const server = await adb('server');
    await server.run('start-server');
    await server.run('keygen', join(world.directory, 'server', 'other'));
    writeFileSync(keys, readFileSync(join(world.directory, 'server', '.android', 'adbkey.pub')));
    await phoneProgram(port, '--auth', keys);
    const serial = `127.0.0.1:${port}`;
    await server.run('connect', serial);
    const slot = `${serial}@127.0.0.1:${server.port}`;
    world.list({ address: { adb_server: `127.0.0.1:${server.port}`, serial } });
    await world.open();
    const endpoint = await world.run('ph_1', slot);

    const client = await adb('client');
    const bridge = `127.0.0.1:${endpoint.port}`;
    expect((await client.run('connect', bridge)).stdout).to.contain('connected to');
    const on = (...args: string[]) => client.run('-s', bridge, ...args);
    expect(await on('shell', 'echo out; echo err >&2; exit 7')).to.deep.equal({ status: 7, stdout: 'out\n', stderr: 'err\n' }); // prettier-ignore
    const file = join(world.directory, 'file');
    writeFileSync(file, Buffer.alloc(8 * 1024 * 1024, 'some bytes'));
    expect((await on('push', file, '/sdcard/file')).status).to.equal(0);
    expect((await on('pull', '/sdcard/file', `${file}.back`)).status).to.equal(0);
    expect(readFileSync(`${file}.back`).equals(readFileSync(file))).to.equal(true);
    const apk = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));
    expect((await on('install', apk)).stdout).to.contain('Success');
    expect((await on('exec-out', 'cat /sdcard/file | wc -c')).stdout.trim()).to.equal(String(8 * 1024 * 1024));

    // The adb server is the operator's: nothing of it shows through the bridge.
    const link = await world.link(endpoint);
    for (const service of ['host:kill', 'host:devices', 'host-serial:x:features', 'host:transport-any']) {
      const options = { timeoutMs: 3_000, doing: 'serve' };
      const refused = await link.socket(service, options).then(() => 'opened', () => 'refused'); // prettier-ignore
      expect(refused, service).to.equal('refused');
    }
    link.close();
    expect((await server.run('devices')).stdout).to.contain(serial);

    const after = await world.driver.start('ph_1', { endedIdentity: endpoint.identity });
    expect(after.identity).not.to.equal(endpoint.identity);

    await server.run('kill-server');
    await world.until('ph_1', (now) => now.state === 'broken' && /adb server/.test(now.problem));
    await server.run('start-server');
    await server.run('connect', serial);
    await world.until('ph_1', ({ state }) => state === 'running');
  });

  it('reports that the phone does not trust its adb server', async () => {
    const port = await freePort();
    const keys = join(world.directory, 'adb_keys');
    writeFileSync(keys, '# nobody\n');
    await phoneProgram(port, '--auth', keys);
    const server = await adb('server');
    await server.run('start-server');
    const serial = `127.0.0.1:${port}`;
    await server.run('connect', serial);
    world.list({ address: { adb_server: `127.0.0.1:${server.port}`, serial } });
    await world.open();
    const spec = world.spec('ph_1', `${serial}@127.0.0.1:${server.port}`);
    const error = await world.driver.create(spec).catch((reason: unknown) => reason);
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .match(/Confirm the key/);
    appendFileSync(keys, readFileSync(join(world.directory, 'server', '.android', 'adbkey.pub')));
    await server.run('disconnect', serial);
    await server.run('connect', serial);
    await world.untilTrue(async () => (await world.slots()).length === 1);
  });
});
