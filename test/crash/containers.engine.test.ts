import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { type CallSide, EnginePipe } from '../../testing/container-engine/engine-pipe.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../testing/phone-subnets.js';
import { skip } from '../../testing/skip.js';
import { cookieOf, PanelClient } from '../access/people.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

/** Every call by which the service changes something at the engine, in the life of a phone. */
const CALLS = [
  'create network',
  'create container',
  'start container',
  'stop container',
  'remove container',
  'remove network',
];
const SIDES: readonly CallSide[] = ['asked', 'done'];

describe('kill -9 of the service at each call to its container engine', function () {
  this.timeout(900_000);
  let folder: string;
  let engine: ContainerEngine;
  let pipe: EnginePipe;
  let running: Installation;
  let api: RestClient;
  let keys = 0;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'containers-'));
    const started = await startEngine(folder);
    if (typeof started === 'string') skip(this, started);
    engine = started;
    const image = await engine.load(await phoneImage());
    pipe = await EnginePipe.open(join(folder, 'pipe.sock'), engine.socketPath);
    const model = {
      ...{ model: 'stand-in', driver: 'container', android: '14', image, binder: false, privileged: false },
      ...{ screen: { width: 720, height: 1280, density: 320 }, memory_mb: 512, boot_limit_s: 60 },
    };
    await writeFile(join(folder, 'models.json'), JSON.stringify({ models: [model] }));
    await begin();
  });
  after(async () => {
    await (running as Installation | undefined)?.stop();
    (pipe as EnginePipe | undefined)?.close();
    await (engine as ContainerEngine | undefined)?.close();
    await removeData(join(folder, 'data'));
    await rm(folder, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    const environment = {
      ...{ PHONE_DRIVER: 'container', MODELS_FILE: join(folder, 'models.json') },
      ...{ DOCKER_HOST: `unix://${pipe.socketPath}`, PHONE_SUBNETS },
    };
    running = await startInstallation({ directory: join(folder, 'data'), start, environment });
    await takeNewKey();
  }

  /** A key has 60 requests a minute. */
  async function takeNewKey(): Promise<void> {
    const url = running.baseUrl.replace(/\/v1$/, '');
    const { email, password } = JSON.parse(await readFile(join(folder, 'data/quickstart.json'), 'utf8')) as Record<
      string,
      string
    >;
    const panel = new PanelClient(
      url,
      cookieOf(await new RestClient(url, undefined).post('/v1/session', { email, password })),
    );
    const { body: made } = await panel.ask('POST', '/v1/keys', {
      name: `key-${keys++}`,
      scope: 'control',
      devices: ['*'],
    });
    api = new RestClient(url, made.key.key as string);
  }

  /** Has the next such call kill the service, then starts it again. */
  function killAt(call: string, side: CallSide): Promise<void> {
    return new Promise((resolve, reject) => {
      pipe.onCall = async (found, at) => {
        if (found !== call || at !== side) return true;
        pipe.onCall = () => true;
        await running.kill();
        begin().then(resolve, reject);
        return false;
      };
    });
  }

  /** Waits for the end of an accepted job, also over a restart of the service, and returns the device after it. */
  async function ended(accepted: Answer, name: string): Promise<{ state: string } | undefined> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    const { id } = accepted.body.job as { id: string };
    let job: { state: string } = { state: 'running' };
    while (job.state === 'running') job = (await api.get(`/v1/jobs/${id}?wait_s=60`)).body.job;
    expect(job).to.include({ state: 'done' });
    const { status, body } = await api.get(`/v1/devices/${name}`);
    return status === 404 ? undefined : body.device;
  }

  const containers = async (): Promise<string[]> =>
    (await engine.cli('ps', '--format', '{{.Names}}')).split('\n').filter((name) => name !== '');

  /** Asserts that the phones run that the service reports as running, and no others, and that nothing is left of deleted ones. */
  async function isTrue(): Promise<void> {
    const { body } = await api.get('/v1/devices');
    const devices = body.devices as { name: string; state: string }[];
    const on = devices.filter(({ state }) => state === 'running').length;
    expect((await containers()).length, JSON.stringify(devices)).to.equal(on);
    for (const { name, state } of devices) {
      if (state === 'running') expect((await api.get(`/v1/devices/${name}/screenshot`)).status).to.equal(200);
    }
    expect(
      (await readdir(join(folder, 'data/container/phones'))).filter((name) => name !== '.scratch').length,
    ).to.equal(devices.length);
  }

  const body = (name: string) => ({
    name,
    model: 'stand-in',
    plan: 'minute',
    network: { type: 'direct', country: 'zz' },
  });

  for (const side of SIDES) {
    for (const [at, call] of CALLS.entries()) {
      it(`${call}, ${side}: the phone ends as it was wanted, once`, async () => {
        const name = `phone-${side}-${at}`;
        const creates = ['create network', 'create container', 'start container'].includes(call);
        if (creates) {
          const killed = killAt(call, side);
          const accepted = await api.post('/v1/devices', body(name));
          await killed;
          expect(await ended(accepted, name)).to.include({ state: 'running' });
        } else {
          await api.done(await api.post('/v1/devices', body(name)));
          if (call !== 'remove network') {
            const killed = killAt(call, side);
            const accepted = await api.post(`/v1/devices/${name}/stop`);
            await killed;
            expect(await ended(accepted, name)).to.include({ state: 'stopped' });
          }
        }
        await isTrue();
        const killed = call === 'remove network' ? killAt(call, side) : Promise.resolve();
        const deleted = await api.delete(`/v1/devices/${name}`);
        await killed;
        expect(await ended(deleted, name)).to.equal(undefined);
        await isTrue();
        expect(await engine.cli('ps', '--all', '--quiet')).to.equal('');
        expect(await engine.cli('network', 'ls', '--format', '{{.Name}}')).not.to.contain('cloudphone');
      });
    }
  }

  it('usable within 10 s: twenty phones that ran before', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `many-${at}`);
    const accepted = new Map<string, Answer>();
    for (const name of names) accepted.set(name, await api.post('/v1/devices', body(name)));
    await takeNewKey();
    for (const [name, answer] of accepted) expect(await ended(answer, name)).to.include({ state: 'running' });
    await running.kill();
    const beganMs = performance.now();
    await begin();
    const shots = await Promise.all(names.map((name) => api.get(`/v1/devices/${name}/screenshot`)));
    const tookMs = Math.round(performance.now() - beganMs);
    console.log(`      20 phones responded ${tookMs} ms after the start of the service's process`);
    expect(shots.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    await isTrue();
    await takeNewKey();
    for (const name of names) accepted.set(name, await api.delete(`/v1/devices/${name}`));
    await takeNewKey();
    for (const [name, answer] of accepted) expect(await ended(answer, name)).to.equal(undefined);
    await isTrue();
  });
});
