import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import { AdbClient } from '../relay/adb-client.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { type Calling, startCli } from './program.js';

describe('adb by the command line', () => {
  let world: World;
  let adb: AdbClient;
  let home = '';
  let environment: Record<string, string>;
  const calls: Calling[] = [];

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    [world, adb] = await Promise.all([startWorld(), AdbClient.start()]);
    home = mkdtempSync(join(tmpdir(), 'cloudphone-cli-adb-'));
    environment = {
      ...{ HOME: home, PATH: process.env['PATH'] ?? '', ANDROID_ADB_SERVER_PORT: String(adb.serverPort) },
      ...{ CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key },
    };
    await Promise.all(['demo', 'second'].map((name) => world.api.createPhone({ name })));
  });
  afterEach(async () => {
    for (const { child, ended } of calls.splice(0)) {
      child.kill('SIGTERM');
      await ended;
    }
  });
  after(async () => {
    if (home === '') return;
    await adb.run('kill-server');
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** Starts `cloudphone adb`, and returns the call and the serials once it has printed as many as there are names. */
  async function open(...words: string[]): Promise<{ calling: Calling; serials: string[] }> {
    const calling = startCli(['adb', ...words], environment);
    calls.push(calling);
    const names = words.filter((word) => !word.startsWith('-')).length;
    const serials = (): string[] => [...calling.stdout().matchAll(/^(127\.0\.0\.1:\d+) /gm)].map(([, one = '']) => one);
    await until(() => serials().length === names || calling.child.exitCode !== null);
    expect(serials(), calling.stderr()).to.have.length(names);
    return { calling, serials: serials() };
  }

  const echoes = async (serial: string): Promise<boolean> =>
    (await adb.run('-s', serial, 'shell', 'echo here')).stdout.trim() === 'here';

  it('gives several phones to the stock adb, and takes them back at its end', async () => {
    const { calling, serials } = await open('demo', 'second');
    for (const serial of serials) expect(await echoes(serial)).to.equal(true);
    const refused = await adb.run('-s', serials[0]!, 'shell', 'su');
    expect(refused.status).to.not.equal(0);
    calling.child.kill('SIGINT');
    expect((await calling.ended).status).to.equal(130);
    expect((await adb.run('devices')).stdout).not.to.include('127.0.0.1');
    await until(async () => (await world.api.get('/v1/devices/demo/adb')).body.adb.sessions.length === 0);
  });

  it('comes back after a phone and after a server of adb that were started again', async () => {
    const { serials } = await open('demo');
    const [serial = ''] = serials;
    await world.api.done(await world.api.post('/v1/devices/demo/restart'));
    await until(() => echoes(serial));
    await adb.run('kill-server');
    await adb.run('start-server');
    await until(() => echoes(serial));
  });

  it('ends with the reason when the relay is turned off, and when the key is revoked', async () => {
    const { calling } = await open('demo');
    const off = await callCli(['adb', 'demo', '--off'], environment);
    expect([off.status, off.stdout]).to.deep.equal([0, 'The relay of demo is off.\n']);
    const ended = await calling.ended;
    expect([ended.status, ended.stderr]).to.satisfy(
      ([status, text]: [number, string]) => status === 1 && text.includes('turned off'),
    );
    const panel = await signIn(world);
    const { key } = (await panel.ask('POST', '/v1/keys', { name: 'cli', scope: 'control', devices: ['demo'] })).body;
    environment['CLOUDPHONE_KEY'] = key.key;
    const again = await open('demo');
    environment['CLOUDPHONE_KEY'] = world.key;
    await panel.ask('DELETE', `/v1/keys/${key.id}`);
    const revoked = await again.calling.ended;
    expect([revoked.status, revoked.stderr.includes('key')]).to.deep.equal([1, true]);
    // The relay ends with the key that enabled it, a moment later.
    await until(async () => (await world.api.get('/v1/devices/demo/adb')).body.adb.enabled === false);
  });

  it('does not touch a relay that is on for its port alone', async () => {
    await world.api.post('/v1/devices/second/adb', { allow: ['127.0.0.1'] });
    await callCli(['adb', 'second', '--off'], environment);
    await world.api.post('/v1/devices/second/adb', { allow: ['127.0.0.1'] });
    const refused = await callCli(['shell', 'second', 'true'], environment);
    expect([refused.status, refused.stderr.includes('--off')]).to.deep.equal([5, true]);
    await callCli(['adb', 'second', '--off'], environment);
  });

  it('has the stock shell, with its output and status', async () => {
    const shell = await startCli(['shell', 'demo', 'echo one; echo two >&2; exit 7'], environment).ended;
    expect([shell.status, shell.stdout, shell.stderr]).to.deep.equal([7, 'one\n', 'two\n']);
    const fed = await startCli(['shell', 'demo', '--', 'cat', '-'], environment, { input: 'typed\n' }).ended;
    expect(fed.stdout).to.equal('typed\n');
    const stopped = await callCli(['shell', 'nobody', 'true'], environment);
    expect(stopped.status).to.equal(4);
  });

  it('has no shell end with success whose connection was lost', async () => {
    const shell = startCli(['shell', 'demo', 'echo begun; sleep 1000'], environment);
    calls.push(shell);
    await until(() => shell.stdout() === 'begun\n');
    await world.api.delete('/v1/devices/demo/adb');
    const { status, stderr } = await shell.ended;
    expect([status, stderr.includes('turned off')]).to.deep.equal([1, true]);
  });
});
