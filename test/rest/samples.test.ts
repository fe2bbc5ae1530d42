import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { writeNote } from '../../docs/samples/agent-loop.js';
import { ensureRunning } from '../../docs/samples/ensure-running.js';
import { tapAndWatch } from '../../docs/samples/live-screen.js';
import { deviceNames } from '../../docs/samples/grpc.js';
import { freePort } from '../../testing/free-port.js';
import { until } from '../../testing/until.js';
import { startWorld, type World } from '../world.js';
import { skip } from '../../testing/skip.js';

/** Beside the sources, of which dist/ has compiled files only. */
const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

describe('the samples of the guides', function () {
  // Programs of other languages are started, and compiled, on machines that do other things too.
  this.timeout(600_000);
  let world: World;
  let folder: string;
  before(async () => {
    world = await startWorld();
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-samples-'));
    await world.api.createPhone({ name: 'sampled' });
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stand in the guides as they are run', () => {
    const guides = readdirSync(DOCS)
      .filter((file) => file.endsWith('.md'))
      .map((file) => readFileSync(DOCS + file, 'utf8'));
    const samples = readdirSync(`${DOCS}samples`);
    expect(samples.length).to.be.greaterThan(5);
    for (const sample of samples) {
      const text = readFileSync(`${DOCS}samples/${sample}`, 'utf8').trimEnd();
      expect(
        guides.some((guide) => guide.includes(text)),
        sample,
      ).to.equal(true);
    }
  });

  it('make, use and delete a first phone with curl', async function () {
    if (!hasAll('curl', 'jq')) skip(this, 'needs the programs curl and jq');
    const picture = '/tmp/first-phone.jpg';
    rmSync(picture, { force: true });
    const printed = await run('sh', [`${DOCS}samples/first-phone.sh`]);
    expect(printed)
      .to.include('create: done')
      .and.include('in front: com.cloudphone.notes')
      .and.include('delete: done');
    expect(printed).to.match(/^e\d+ \w+ /m);
    expect(existsSync(picture)).to.equal(true);
    rmSync(picture);
  });

  it('stream the events of phones with curl', async function () {
    if (!hasAll('curl')) skip(this, 'needs the program curl');
    const printing = run('sh', [`${DOCS}samples/events.sh`]);
    await until(async () => {
      await world.api.done(await world.api.post('/v1/devices/sampled/restart'));
      return (await world.metrics.getSingleMetric('http_open_sockets')?.get())?.values[0]?.value === 1;
    });
    await world.api.done(await world.api.post('/v1/devices/sampled/restart'));
    const printed = await printing;
    expect(printed)
      .to.match(/^retry: 3000\n:\nid: \d{12}\n/)
      .and.include('"phone":"sampled","state":"running"');
    expect(printed).to.include('event: job.finished\ndata: {"event":"job.finished"');
  });

  it('watch a phone live and tap, in TypeScript', async () => {
    const { body } = await world.api.post('/v1/devices/sampled/action', { find_text: { text: 'Settings' } });
    const { x, y } = body.matches[0].center;
    expect(await tapAndWatch(`${world.mesh.url}/v1`, world.key, 'sampled', x, y)).to.be.greaterThan(0);
  });

  it('write a note in a loop, in TypeScript', async () => {
    expect(await writeNote(`${world.mesh.url}/v1`, world.key, 'sampled', 'Oat milk')).to.be.greaterThan(2);
    await expectNote('Oat milk');
  });

  for (const [language, program, needs] of [
    ['Python', ['python3', `${DOCS}samples/agent-loop.py`], 'python3'],
    ['Go', ['go', 'run', `${DOCS}samples/agent-loop.go`], 'go'],
  ] as const) {
    it(`write a note in a loop, in ${language}`, async function () {
      if (!hasAll(needs)) skip(this, `needs the program ${needs}`);
      const [command, ...words] = program;
      const note = `Written in ${language}`;
      expect(await run(command, [...words, 'sampled', note])).to.match(/^done in \d+ turns\n$/);
      await expectNote(note);
    });
  }

  it('use adb through the relay', async function () {
    if (!hasAll('curl', 'jq', 'adb')) skip(this, 'needs the programs curl, jq and adb');
    const port = String(await freePort());
    const environment = { ANDROID_ADB_SERVER_PORT: port, HOME: folder, CLOUDPHONE_DEVICE: 'sampled' };
    try {
      const printed = await run('sh', [`${DOCS}samples/adb-session.sh`], environment);
      expect(printed).to.include('login ok').and.match(/^14$/m).and.include('relay on: false');
    } finally {
      await run('adb', ['-P', port, 'kill-server'], environment);
    }
  });

  it('start a phone that does not run, and leave one that does', async () => {
    const url = `${world.mesh.url}/v1`;
    await ensureRunning(url, world.key, 'sampled');
    await world.api.done(await world.api.post('/v1/devices/sampled/stop'));
    await ensureRunning(url, world.key, 'sampled');
    expect((await world.api.get('/v1/devices/sampled')).body.device.state).to.equal('running');
    const error: unknown = await ensureRunning(url, world.key, 'none').catch((reason: unknown) => reason);
    expect(error).to.include({ kind: 'not_found', status: 404 });
  });

  it('list devices by gRPC', async () => {
    expect(await deviceNames(world.mesh.grpc.device.replace(/^\w+:\/\//, ''), world.key)).to.include('sampled');
  });

  async function expectNote(text: string): Promise<void> {
    const { body } = await world.api.post('/v1/devices/sampled/action', { find_text: { text } });
    expect(body.matches.length).to.be.greaterThan(0);
  }

  function run(command: string, words: string[], environment: Record<string, string> = {}): Promise<string> {
    const env = { ...process.env, CLOUDPHONE_URL: `${world.mesh.url}/v1`, CLOUDPHONE_KEY: world.key, ...environment };
    return new Promise((resolve, reject) => {
      execFile(command, words, { env, cwd: folder }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${command} ${words.join(' ')} failed: ${stdout} ${stderr}`, { cause: error }));
      });
    });
  }
});

/** Whether all of these programs are here; says so when one is not. */
function hasAll(...programs: string[]): boolean {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) process.stdout.write(`      needs ${missing.join(', ')}, which is not there\n`);
  return missing.length === 0;
}
