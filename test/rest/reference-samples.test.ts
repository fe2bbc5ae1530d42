import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readApi } from '../../reference/api/api.js';
import { sampleOf } from '../../reference/api/sample-of.js';
import { samplesOf } from '../../reference/samples/languages.js';
import { openApi } from '../../testing/openapi.js';
import { skip } from '../../testing/skip.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const PHOTO = Buffer.from('a photo, as far as the phone is concerned');

describe('the samples of the reference, as they are run', function () {
  this.timeout(300_000);
  let world: World;
  let folder: string;
  let cookie: string;
  before(async function () {
    if (spawnSync('curl', ['--version']).status !== 0) skip(this, 'needs the program curl');
    world = await startWorld();
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-samples-'));
    writeFileSync(join(folder, 'photo.jpg'), PHOTO);
    const { email, password } = world;
    const { headers } = await new RestClient(world.mesh.url, undefined).post('/v1/session', { email, password });
    cookie = headers.get('set-cookie')!.split(';')[0]!;
    const { job, device } = JSON.parse(await sample('createDevice')) as { job: { id: string }; device: object };
    expect(device).to.include({ name: 'demo', model: 'phone-720p' });
    expect((await world.api.get(`/v1/jobs/${job.id}?wait_s=60`)).body.job.state).to.equal('done');
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const results: Record<string, (printed: string) => void> = {
    listDevices: (printed) => expect(JSON.parse(printed).devices[0].name).to.equal('demo'),
    updateDevice: (printed) => expect(JSON.parse(printed).device.labels).to.deep.equal({ team: 'qa' }),
    listJobs: (printed) => expect(JSON.parse(printed).jobs[0].device).to.equal('demo'),
    getUsage: (printed) => expect(JSON.parse(printed)).to.include.keys('from', 'to', 'total'),
    getScreenshot: () =>
      expect(readFileSync(join(folder, 'screenshot.jpg')).subarray(0, 2)).to.deep.equal(Buffer.from([0xff, 0xd8])),
    observe: (printed) => expect(JSON.parse(printed).observation.elements_text).to.match(/^e\d+ /),
    act: (printed) => expect(JSON.parse(printed)).to.include({ steps_done: 2, expect_met: true }),
    sendInput: (printed) => expect(JSON.parse(printed)).not.to.have.property('error'),
    getLogs: (printed) => expect(JSON.parse(printed).lines.length).to.be.greaterThan(0),
    writeFile: (printed) => expect(JSON.parse(printed).file.size).to.equal(PHOTO.length),
    readFile: () => expect(readFileSync(join(folder, 'photo.jpg'))).to.deep.equal(PHOTO),
    deleteFile: (printed) => expect(printed).to.equal(''),
    createShare: (printed) => expect(JSON.parse(printed).share.url).to.match(/^http/),
    createSchedule: (printed) => expect(JSON.parse(printed).schedule.devices).to.deep.equal(['demo']),
    // With the cookie of a person, also for a change.
    createKey: (printed) => expect(JSON.parse(printed).key).to.include({ name: 'ci', scope: 'control' }),
    listKeys: (printed) => expect(JSON.parse(printed).keys.length).to.be.greaterThan(1),
    signOut: (printed) => expect(printed).to.equal(''),
  };
  for (const [id, check] of Object.entries(results)) {
    it(`${id}, with curl`, async () => {
      check(await sample(id));
    });
  }

  it('watchScreen, with curl: the handshake, the hello and a picture', async () => {
    const picture = Buffer.from([0xff, 0xd8, 0xff]);
    let received = Buffer.alloc(0);
    // On a busy machine the first picture, or the handshake, takes longer than a second.
    for (const timeS of [1, 5, 25]) {
      // curl ends it, with its status for time that is up.
      await bash(codeOf('watchScreen', 'sh').replace('--max-time 5', `--max-time ${timeS}`), 28);
      const file = join(folder, 'live.bin');
      if (existsSync(file)) received = readFileSync(file);
      if (received.includes(picture)) break;
    }
    expect(received.toString('latin1')).to.include('"type":"hello"');
    expect(received.includes(picture)).to.equal(true);
  });

  it('watchScreen, in Go', async function () {
    if (spawnSync('go', ['version']).status !== 0) skip(this, 'needs the program go');
    writeFileSync(join(folder, 'main.go'), codeOf('watchScreen', 'go'));
    expect(await run('go', ['run', 'main.go'])).to.match(/^101 Switching Protocols, then ".*type\\":\\"hello/);
  });

  it('writeFile, in Go and Python', async function () {
    if (spawnSync('go', ['version']).status !== 0) skip(this, 'needs the program go');
    for (const [language, program, file] of [
      ['go', ['go', 'run'], 'main.go'],
      ['py', ['python3'], 'main.py'],
    ] as const) {
      writeFileSync(join(folder, file), codeOf('writeFile', language));
      const [name, ...words] = program;
      expect(await run(name, [...words, file])).to.match(/"size": ?41|'size': 41/);
    }
  });

  function codeOf(id: string, language: string): string {
    const operations = readApi(openApi().document).resources.flatMap((resource) => resource.operations);
    const samples = samplesOf(sampleOf(operations.find((operation) => operation.id === id)!));
    return samples.find((one) => one.language.id === language)!.code;
  }

  /** Runs a sample of curl, and returns what it prints. */
  function sample(id: string): Promise<string> {
    return bash(codeOf(id, 'sh'));
  }

  function bash(code: string, status = 0): Promise<string> {
    return run('bash', ['-c', code], status);
  }

  function run(program: string, words: readonly string[], status = 0): Promise<string> {
    const env = {
      ...process.env,
      CLOUDPHONE_URL: `${world.mesh.url}/v1`,
      CLOUDPHONE_KEY: world.key,
      CLOUDPHONE_COOKIE: cookie,
    };
    return new Promise((resolve, reject) => {
      execFile(program, words, { cwd: folder, env }, (error, stdout, stderr) => {
        const ended = error === null ? 0 : error.code;
        if (ended === status) resolve(stdout);
        else reject(new Error(`${program} ended with ${String(ended)}: ${stdout}${stderr}`));
      });
    });
  }
});
