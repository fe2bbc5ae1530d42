import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { writeNote } from '../../docs/samples/agent-loop.js';
import { tapAndWatch } from '../../docs/samples/live-screen.js';
import { deviceNames } from '../../docs/samples/grpc.js';
import { CloudPhoneError, withRetries } from '../../docs/samples/with-retries.js';
import { freePort } from '../../testing/free-port.js';
import { startWorld, type World } from '../world.js';

/** Beside the sources, of which dist/ has only what was compiled. */
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
    if (!hasAll('curl', 'jq')) this.skip();
    const printed = await run('sh', [`${DOCS}samples/first-phone.sh`]);
    expect(printed)
      .to.include('create: done')
      .and.include('in front: com.cloudphone.notes')
      .and.include('delete: done');
    expect(printed).to.match(/^e\d+ \w+ /m);
    expect(existsSync(join(folder, 'first-phone.jpg'))).to.equal(true);
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
      if (!hasAll(needs)) this.skip();
      const [command, ...words] = program;
      const note = `Written in ${language}`;
      expect(await run(command, [...words, 'sampled', note])).to.match(/^done in \d+ turns\n$/);
      await expectNote(note);
    });
  }

  it('use adb through the relay', async function () {
    if (!hasAll('curl', 'jq', 'adb')) this.skip();
    const port = String(await freePort());
    const environment = { ANDROID_ADB_SERVER_PORT: port, HOME: folder, CLOUDPHONE_DEVICE: 'sampled' };
    try {
      const printed = await run('sh', [`${DOCS}samples/adb-session.sh`], environment);
      expect(printed).to.include('login ok').and.match(/^14$/m).and.include('relay on: false');
    } finally {
      await run('adb', ['-P', port, 'kill-server'], environment);
    }
  });

  it('repeat a request that passes by itself, and report one that does not', async () => {
    const replies = [
      [429, { error: 'rate_limited', message: 'Later.' }, { 'retry-after': '7' }],
      [503, { error: 'unavailable', message: 'Away.' }, {}],
      [200, { devices: [] }, {}],
      [409, { error: 'busy', message: 'It runs already.' }, { 'x-request-id': 'req_1' }],
    ] as const;
    let next = 0;
    const waits: number[] = [];
    const wait = async (seconds: number): Promise<void> => void waits.push(seconds);
    await serving(
      (_request, response) => {
        const [status, body, headers] = replies[next++]!;
        response.writeHead(status, { ...headers, connection: 'close' }).end(JSON.stringify(body));
      },
      async (url) => {
        expect(await withRetries(url, {}, wait)).to.deep.equal({ devices: [] });
        expect(waits).to.deep.equal([7, 4]);
        const error: unknown = await withRetries(url, {}, wait).catch((reason: unknown) => reason);
        expect(error).to.be.instanceOf(CloudPhoneError).and.include({ kind: 'busy', requestId: 'req_1' });
        expect(waits).to.have.length(2);
      },
    );
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

/** Runs `use` with an HTTP server on a free port. */
async function serving(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
