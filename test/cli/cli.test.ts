import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { skip } from '../../testing/skip.js';
import { zipOf } from '../../testing/phone/zip-of.js';
import { until } from '../../testing/until.js';
import { ROOT } from '../clients/mcp-world.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { type Called, startCli } from './program.js';

const FIXTURE_APK = join(ROOT, 'phone/apk/fixtures/fixture-v2.apk');

describe('the command line', function () {
  let world: World;
  let home: string;
  let environment: Record<string, string>;
  before(async () => {
    world = await startWorld();
    home = mkdtempSync(join(tmpdir(), 'cloudphone-cli-'));
    environment = { HOME: home, CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key };
    await world.api.createPhone({ name: 'demo' });
  });
  after(async () => {
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  const cli = (...words: string[]): Promise<Called> => callCli(words, environment);

  async function good(...words: string[]): Promise<string> {
    const { status, stdout, stderr } = await cli(...words);
    expect(status, `${words.join(' ')}: ${stderr}`).to.equal(0);
    return stdout;
  }

  const json = async (...words: string[]) => JSON.parse(await good(...words, '--json'));

  const statesOf = async (label: string): Promise<string[]> =>
    (await world.api.get(`/v1/devices?label=${label}`)).body.devices.map(({ state }: { state: string }) => state);

  it('logs in by a key on standard input, keeps the key for its owner alone, and forgets it', async () => {
    const words = ['login', world.mesh.url, '--service', 'mine', '--key-stdin'];
    const own = { HOME: home };
    const bad = await callCli(words, own, { input: 'cp_wrong\n' });
    expect([bad.status, bad.stderr.includes('Log in with a good key')]).to.deep.equal([1, true]);
    expect((await callCli(words, own)).status).to.equal(2);
    expect((await callCli(words.slice(0, -1), own)).stderr)
      .to.include('/settings/keys/new')
      .and.include('--key-stdin');
    const login = await startCli(words, own, { input: `${world.key}\n` }).ended;
    expect(login.stdout, login.stderr).to.include('Logged in').and.include(world.email);
    expect(login.stdout + login.stderr).not.to.include(world.key);
    expect(statSync(join(home, '.config/cloudphone/config.json')).mode & 0o777).to.equal(0o600);
    const who = await callCli(['whoami'], own);
    expect(who.stdout).to.include(world.email).and.include('mine');
    expect((await callCli(['logout'], own)).status).to.equal(0);
    const none = await callCli(['list'], own);
    expect([none.status, none.stderr.includes('cloudphone login')]).to.deep.equal([2, true]);
  });

  it('is a process that prints, and ends with its status', async () => {
    const [list, missing] = await Promise.all(
      [['list'], ['show', 'nobody']].map((words) => startCli(words, environment).ended),
    );
    expect([list?.status, list?.stdout.includes('demo'), list?.stderr]).to.deep.equal([0, true, '']);
    expect([missing?.status, missing?.stdout]).to.deep.equal([4, '']);
  });

  it('prints words on a terminal, and the objects of the API for programs', async () => {
    expect(await good('list')).to.match(/^NAME +STATE .*\ndemo +running +phone-720p /);
    const listed = await json('list');
    const { devices } = (await world.api.get('/v1/devices')).body;
    // A second may begin between the two.
    for (const device of [...listed.devices, ...devices]) expect(device).to.have.property('uptime').a('number');
    for (const device of [...listed.devices, ...devices]) delete device.uptime;
    expect(listed).to.deep.equal({ devices });
    expect(await good('list', '--names')).to.equal('demo\n');
    expect(await json('show', 'demo')).to.have.nested.property('device.name', 'demo');
    expect(await good('models')).to.include('phone-720p');
    expect(await json('exits')).to.have.property('options');
    expect(await json('usage')).to.have.property('total');
    expect(await good('open', 'demo', '--print')).to.equal(`${world.mesh.url}/phones/demo\n`);
  });

  it('has its statuses for what fails, and the reason on standard error', async () => {
    const missing = await cli('show', 'nobody');
    expect([missing.status, missing.stdout]).to.deep.equal([4, '']);
    expect(missing.stderr).to.match(/^cloudphone: .*nobody/);
    const asObject = await cli('show', 'nobody', '--json');
    expect(JSON.parse(asObject.stderr)).to.have.property('error', 'not_found');
    expect((await cli('start', 'demo')).status).to.equal(5);
    expect((await cli('keys')).stderr).to.include('/settings/keys');
    const unreachable = { ...environment, CLOUDPHONE_URL: `http://127.0.0.1:${await freePort()}` };
    expect((await callCli(['start', 'demo'], unreachable)).status).to.equal(3);
    expect((await cli('list', '--no-such')).status).to.equal(2);
  });

  it('makes, stops, starts and deletes phones, and waits for the jobs', async () => {
    const { job, device } = await json('create', 'made', '--label', 'team:qa', '--idle-stop-s', '900');
    expect([job.state, device.state, device.labels, device.idle_stop_s]).to.deep.equal([
      ...['done', 'running', { team: 'qa' }, 900],
    ]);
    expect(await good('stop', 'made')).to.equal('made: stop done\n');
    expect((await json('start', 'made', '--no-wait')).job.kind).to.equal('start');
    await until(async () => (await statesOf('team:qa'))[0] === 'running');
    // Several at once; the one that fails does not hold up the others.
    const several = await cli('delete', 'made', 'nobody');
    expect([several.status, several.stdout]).to.deep.equal([4, 'made: delete done\n']);
  });

  it('shows the screen and acts on it', async () => {
    expect(await good('act', 'demo', '{"open_app": {"app": "Notes"}}', '--show')).to.include('New note');
    expect(await good('observe', 'demo')).to.match(/^e\d+ \w+ /m);
    await good('tap', 'demo', 'New note');
    await good('type', 'demo', 'oat milk', '--into', 'Title');
    expect(await good('observe', 'demo')).to.include('oat milk');
    await good('swipe', 'demo', 'up');
    await good('key', 'demo', 'back', 'home');
    // The words are waited for 2 s, so the time is not up by then.
    const failed = await cli('tap', 'demo', 'No such words', '--timeout-ms', '20000');
    expect([failed.status, failed.stderr.includes('No such words')], failed.stderr).to.deep.equal([4, true]);
    expect((await cli('key', 'demo', 'home', '--expect', 'No such words', '--timeout-ms', '500')).status).to.not.equal(
      0,
    );
    const picture = join(home, 'demo.png');
    await good('screenshot', 'demo', '-o', picture);
    expect(readFileSync(picture).subarray(1, 4).toString()).to.equal('PNG');
  });

  it('records the screen until Ctrl-C or the end of the time, and saves the video', async function () {
    if (!hasFfmpeg) skip(this, 'needs ffmpeg (Debian package ffmpeg)');
    const file = join(home, 'demo.mp4');
    const calling = startCli(['record', 'demo', '-o', file], environment);
    await until(() => calling.stderr().includes('is recorded') || calling.child.exitCode !== null);
    expect((await cli('record', 'demo')).status).to.equal(5);
    calling.child.kill('SIGINT');
    const called = await calling.ended;
    expect([called.status, called.stdout.startsWith(file)], called.stderr).to.deep.equal([0, true]);
    expect(readFileSync(file).toString('latin1', 4, 8)).to.equal('ftyp');
    const { recording, files } = await json('record', 'demo', '-o', file, '--max-s', '1');
    expect([recording.state, files.length, statSync(file).size]).to.deep.equal(['ready', 1, files[0].size]);
    expect((await cli('record', 'demo', '-o', '-')).status).to.equal(2);
  });

  it('copies files both ways, whole, and leaves none behind that failed', async () => {
    const file = join(home, 'file.bin');
    const content = Buffer.alloc(3_000_000, 'ab\u00001');
    writeFileSync(file, content);
    expect((await json('push', 'demo', file, '/sdcard/Download/')).file.size).to.equal(content.length);
    expect(await good('ls', 'demo', '/sdcard/Download'))
      .to.include('file.bin')
      .and.include('3.0 MB');
    await good('pull', 'demo', '/sdcard/Download/file.bin', join(home, 'back.bin'));
    expect(readFileSync(join(home, 'back.bin')).equals(content)).to.equal(true);
    writeFileSync(join(home, 'empty'), '');
    expect((await json('push', 'demo', join(home, 'empty'), '/sdcard/empty')).file.size).to.equal(0);
    await good('rm', 'demo', '/sdcard/empty', '/sdcard/Download/file.bin');
    const gone = await cli('pull', 'demo', '/sdcard/Download/file.bin', join(home, 'gone.bin'));
    expect(gone.status).to.equal(4);
    expect(readdirSync(home).filter((name) => /gone|part/.test(name))).to.deep.equal([]);
    expect((await cli('push', 'demo', join(home, 'no-such-file'), '/sdcard/x')).stderr).to.include('no-such-file');
    expect((await cli('push', 'demo', file, '/system/x')).status).to.equal(1);
    expect((await cli('pull', 'demo', '/sdcard', join(home, 'no', 'folder'))).status).to.equal(1);
  });

  it('installs an APK and removes it', async () => {
    const apk = join(home, 'app.apk');
    copyFileSync(FIXTURE_APK, apk);
    await good('install', 'demo', apk);
    expect(await good('packages', 'demo')).to.include('com.example.fixture');
    await good('uninstall', 'demo', 'com.example.fixture');
    expect((await cli('install', 'demo', join(home, 'none.apk'))).stderr).to.include('none.apk');
    const bundle = join(home, 'app.aab');
    writeFileSync(bundle, zipOf([{ name: 'BundleConfig.pb', bytes: Buffer.from('x') }]));
    expect((await cli('install', 'demo', bundle)).stderr).to.include('bundletool build-apks --bundle=app.aab');
    expect((await cli('install', 'demo', 'none.aab')).stderr)
      .to.include('none.aab')
      .and.not.include('catalogue');
    expect((await cli('install', 'demo', 'my/none')).stderr).to.include('GET /v1/library/apps');
    expect((await cli('install', 'demo', './my/none')).stderr)
      .to.include('my/none')
      .and.not.include('library');
    const put = await world.api.ask('PUT', '/v1/library/apps/shop', readFileSync(FIXTURE_APK));
    expect(put.status).to.equal(200);
    await good('install', 'demo', 'my/shop');
    expect(await good('packages', 'demo')).to.include('com.example.fixture');
    await good('uninstall', 'demo', 'com.example.fixture');
    writeFileSync(apk, 'no APK');
    expect((await cli('install', 'demo', apk)).status).to.equal(1);
  });

  it('prints the log, and follows it until its reader goes', async () => {
    expect(await good('logs', 'demo', '--lines', '3')).to.match(/^\d\d-\d\d /);
    expect(await json('logs', 'demo', '--lines', '1')).to.have.property('lines');
    const following = startCli(['logs', 'demo', '--follow', '--lines', '1', '--json'], environment);
    await until(() => following.stdout().includes('\n'));
    const before = following.stdout().length;
    const write = (app: string): Promise<unknown> =>
      world.api.post('/v1/devices/demo/act', { open_app: { app }, observe: 'none' });
    // The start of an app writes lines; an app that is open already writes none.
    await write('Clock');
    await until(() => following.stdout().length > before);
    for (const line of following.stdout().trim().split('\n')) expect(JSON.parse(line)).to.have.property('message');
    following.child.stdout?.destroy();
    await write('Settings');
    await write('Messages');
    expect((await following.ended).status).to.equal(141);
  });

  it('prints events until Ctrl-C', async () => {
    const events = startCli(['events', '--json'], environment);
    await until(async () => {
      if (events.stdout().includes('\n')) return true;
      await world.api.done(await world.api.post('/v1/devices/demo/snapshots', {}));
      return false;
    });
    events.child.kill('SIGINT');
    const { status, stdout, stderr } = await events.ended;
    expect([status, stderr]).to.deep.equal([130, '']);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).to.have.property('event');
  });

  it('takes snapshots, returns to them and clones them', async () => {
    const { snapshot } = await json('snapshot', 'demo', '--label', 'clean');
    expect(await good('snapshots', 'demo'))
      .to.include('clean')
      .and.include(snapshot.id);
    expect(await good('restore', 'demo', snapshot.id)).to.equal('demo: restore done\n');
    const { device } = await json('clone', 'demo', snapshot.id, 'copy', '--no-start');
    expect(device.state).to.equal('stopped');
    await good('delete', 'copy');
    await good('snapshot', 'demo', '--delete', snapshot.id);
  });

  it('runs groups of a file, and lists what there is', async () => {
    const file = join(home, 'group.json');
    writeFileSync(file, JSON.stringify({ devices: ['demo'], steps: [{ wait: { ms: 1 } }] }));
    const { group } = await json('groups', '--create', file);
    expect(group.state).to.equal('done');
    expect(await good('groups')).to.include(group.id);
    const weekly = {
      devices: ['demo'],
      days: ['mon'],
      time: '07:30',
      timezone: 'Europe/Berlin',
      steps: [{ restart: {} }],
    };
    const made = await callCli(['schedules', '--create', '-', '--json'], environment, {
      input: JSON.stringify(weekly),
    });
    const { id } = JSON.parse(made.stdout).schedule;
    expect((await json('schedules', id, '--disable')).schedule.enabled).to.equal(false);
    await good('schedules', id, '--delete');
    expect(await good('schedules')).to.equal('No schedules.\n');
  });
});
