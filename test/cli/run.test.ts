import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Interrupted } from '../../cli/src/output/failure.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { AdbClient } from '../relay/adb-client.js';
import { startWorld, type World } from '../world.js';
import { callCli } from './call.js';
import { type Called, startCli } from './program.js';

describe('cloudphone run', () => {
  let world: World;
  let adb: AdbClient;
  let home = '';
  let environment: Record<string, string>;

  before(async function () {
    if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
    [world, adb] = await Promise.all([startWorld(), AdbClient.start()]);
    home = mkdtempSync(join(tmpdir(), 'cloudphone-cli-run-'));
    environment = {
      ...{ HOME: home, PATH: process.env['PATH'] ?? '', ANDROID_ADB_SERVER_PORT: String(adb.serverPort) },
      ...{ CLOUDPHONE_URL: world.mesh.url, CLOUDPHONE_KEY: world.key },
    };
  });
  afterEach(async () => {
    if (home !== '') await noPhones();
  });
  after(async () => {
    if (home === '') return;
    await adb.run('kill-server');
    await world.close();
    rmSync(home, { recursive: true, force: true });
  });

  interface Listed {
    name: string;
    state: string;
    labels: Record<string, string>;
    idle_stop_s?: number;
  }
  const phones = async (): Promise<Listed[]> => (await world.api.get('/v1/devices')).body.devices;
  const noPhones = (): Promise<void> => until(async () => (await phones()).length === 0);
  const run = (...words: string[]): Promise<Called> => callCli(['run', ...words], environment);

  it('makes a phone with the app, connects adb, keeps the status, and deletes the phone', async () => {
    const file = join(home, 'seen');
    const script = `adb -s $ANDROID_SERIAL shell pm list packages > ${file}; echo "$CLOUDPHONE_DEVICE $CLOUDPHONE_SHARD $CLOUDPHONE_SHARDS" >> ${file}; exit 9`;
    const apk = join(import.meta.dirname, '../../../phone/apk/fixtures/fixture-v2.apk');
    const { status, stderr } = await run('--model', 'phone-720p', '--install', apk, '--', 'bash', '-c', script);
    expect(status, stderr).to.equal(9);
    expect(readFileSync(file, 'utf8')).to.match(/package:com\.example\.fixture\n(.*\n)*run-\w{8} 1 1\n$/);
    // adb's server may list a connection for a while after its end.
    await until(async () => !(await adb.run('devices')).stdout.includes('127.0.0.1'));
  });

  it('runs the parts at once, each with a phone of its own, and saves what a failed one left', async () => {
    const folder = join(home, 'artifacts');
    // Each part waits until all have begun.
    const script = `touch ${home}/part-$CLOUDPHONE_SHARD; until [ -e ${home}/part-1 ] && [ -e ${home}/part-2 ]; do sleep 0.1; done; echo "at $ANDROID_SERIAL"; [ $CLOUDPHONE_SHARD = 1 ] || exit 3`;
    const { status, stdout, stderr } = await run('--shards', '2', '--artifacts', folder, '--', 'bash', '-c', script);
    expect(status, stderr).to.equal(3);
    const serials = [...stdout.matchAll(/^\[([12])\/2\] at (127\.0\.0\.1:\d+)$/gm)];
    expect(new Set(serials.map(([, part]) => part)).size).to.equal(2);
    expect(new Set(serials.map(([, , serial]) => serial)).size).to.equal(2);
    const [failed = '', ...others] = readdirSync(folder);
    expect([failed.endsWith('-2'), others]).to.deep.equal([true, []]);
    expect(readdirSync(join(folder, failed))).to.deep.equal(['crashes.json', 'logcat.txt', 'screen.png', 'tree.json']);
    expect(JSON.parse(readFileSync(join(folder, failed, 'tree.json'), 'utf8'))).to.have.nested.property(
      'observation.elements',
    );
  });

  it('saves the crashes of apps, each with its trace, where the command fails', async () => {
    const folder = join(home, 'crashed');
    const notes = 'com.cloudphone.notes';
    const script = `adb shell "am start -n ${notes}/.Main; am crash ${notes}"; until curl -s -H "authorization: Bearer ${world.key}" "${world.mesh.url}/v1/devices/$CLOUDPHONE_DEVICE/crashes" | grep -q crs_; do sleep 0.2; done; exit 7`;
    const { status, stderr } = await run('--artifacts', folder, '--', 'bash', '-c', script);
    expect(status, stderr).to.equal(7);
    const [name = ''] = readdirSync(folder);
    const { crashes } = JSON.parse(readFileSync(join(folder, name, 'crashes.json'), 'utf8'));
    expect(crashes).to.have.lengthOf(1);
    expect(crashes[0]).to.include({ kind: 'java', package: notes });
    expect(readdirSync(join(folder, name, 'crashes'))).to.deep.equal([`${crashes[0].id}.txt`]);
    const trace = readFileSync(join(folder, name, 'crashes', `${crashes[0].id}.txt`), 'utf8');
    expect(trace).to.equal(`${crashes[0].trace}\n`);
    expect(stderr).to.contain('a crash of apps on');
  });

  it('saves a video of each phone, also where the command succeeds, and needs a folder for it', async function () {
    if (!hasFfmpeg) skip(this, 'needs ffmpeg (Debian package ffmpeg)');
    const folder = join(home, 'videos');
    const { status, stderr } = await run('--record', '--artifacts', folder, '--no-adb', '--', 'sleep', '1');
    expect(status, stderr).to.equal(0);
    const [name = ''] = readdirSync(folder);
    expect(readdirSync(join(folder, name))).to.deep.equal(['recording.mp4']);
    expect(readFileSync(join(folder, name, 'recording.mp4')).toString('latin1', 4, 8)).to.equal('ftyp');
    expect((await run('--record', '--', 'true')).status).to.equal(2);
  });

  it('ends a command that hangs, and one that cannot be run, and deletes the phones', async () => {
    const hangs = await run('--no-adb', '--time-limit-s', '1', '--', 'sleep', '1000');
    expect(hangs.status).to.equal(124);
    expect((await run('--no-adb', '--', '/no/such/program')).status).to.equal(127);
    expect((await run('--no-adb', '--model', 'no-such-model', '--', 'true')).status).to.equal(1);
  });

  it('keeps the phone of a command that failed where that is wanted, and no sweep deletes it', async () => {
    const kept = await run('--no-adb', '--keep-on-failure', '--', 'false');
    expect([kept.status, kept.stderr.includes('is kept')]).to.deep.equal([1, true]);
    const [left] = await phones();
    const name = left?.name ?? '';
    expect(left?.labels).to.deep.equal({ 'cloudphone-run': 'kept' });
    await world.api.done(await world.api.post(`/v1/devices/${name}/stop`));
    expect((await callCli(['run', '--sweep'], environment)).stdout).to.include('Nothing is left over');
    await callCli(['delete', name], environment);
  });

  it('deletes the phones after Ctrl-C, also where they are still being made', async () => {
    const ended = new AbortController();
    const words = ['run', '--no-adb', '--shards', '3', '--', 'true'];
    const making = callCli(words, environment, { signal: ended.signal });
    await until(async () => (await phones()).length > 0);
    ended.abort(new Interrupted(130));
    expect((await making).status).to.equal(130);
    await noPhones();
    const ending = startCli(['run', '--', 'sleep', '1000'], environment);
    await until(() => ending.stderr().includes(' runs'));
    ending.child.kill('SIGTERM');
    expect((await ending.ended).status).to.equal(143);
  });

  it('leaves a phone that a sweep finds after kill -9', async () => {
    const ready = join(home, 'ready');
    const calling = startCli(
      ['run', '--no-adb', '--', 'bash', '-c', `echo $$ > ${ready}; exec sleep 1000`],
      environment,
    );
    await until(() => existsSync(ready) && readFileSync(ready, 'utf8').endsWith('\n'));
    calling.child.kill('SIGKILL');
    // The command is not ended by that, and holds the pipes of the program.
    process.kill(Number(readFileSync(ready, 'utf8')), 'SIGKILL');
    await calling.ended;
    const [left] = await phones();
    expect([left?.labels, left?.idle_stop_s]).to.deep.equal([{ 'cloudphone-run': 'phone' }, 600]);
    // One that is on may be in use.
    expect((await callCli(['run', '--sweep'], environment)).stdout).to.include('1 phones of runs are in use');
    await world.api.done(await world.api.post(`/v1/devices/${left?.name ?? ''}/stop`));
    expect((await callCli(['run', '--sweep'], environment)).stdout).to.equal(`${left?.name ?? ''} is deleted.\n`);
  });

  it('uses phones that exist, and leaves them as they were', async () => {
    await world.api.createPhone({ name: 'bench', start: false });
    await world.api.ask('PATCH', '/v1/devices/bench', { labels: { team: 'qa' } });
    expect((await run('--no-adb', '--device', 'bench', '--', 'true')).status).to.equal(0);
    await until(async () => (await phones())[0]?.state === 'stopped');
    expect((await run('--no-adb', '--label', 'team:none', '--', 'true')).status).to.equal(4);
    const { snapshot } = JSON.parse(
      (await callCli(['snapshot', 'bench', '--label', 'clean', '--json'], environment)).stdout,
    );
    expect(snapshot.state).to.equal('ready');
    const file = join(home, 'clone');
    expect(
      (await run('--no-adb', '--clone-of', 'bench/clean', '--', 'bash', '-c', `echo $CLOUDPHONE_DEVICE > ${file}`))
        .status,
    ).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.match(/^run-/);
    await callCli(['delete', 'bench'], environment);
  });
});
