import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import { silentLog } from '../../kit/log/log.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { buildImage, NEWER_ENTRYPOINT, SPOILING_ENTRYPOINT } from '../../phone/container/testing/container-world.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../testing/phone-subnets.js';
import { databaseAddress } from '../../testing/database-address.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { SIDES, type StepSide, UpgradeGate } from './upgrade-gate.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const command = fileURLToPath(new URL('../../admin/main.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test that is long enough';
const NEWER = { image: 'localhost/newer:latest', android: '15' };
const BAD = { image: 'localhost/bad:latest', android: '16' };

describe('kill -9 of the service at each step of an upgrade of a phone in a container', function () {
  this.timeout(1_800_000);
  let folder: string;
  let engine: ContainerEngine;
  let database: EmbeddedMongo;
  let gate: UpgradeGate;
  let running: Installation;
  let api: RestClient;
  let admin: Client<typeof AdminService>;
  let old: { image: string; android: string };

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'upgrades-'));
    const started = await startEngine(folder);
    if (typeof started === 'string') skip(this, started);
    engine = started;
    old = { image: await engine.load(await phoneImage()), android: '14' };
    await buildImage(engine, folder, { from: old.image, to: NEWER.image, entrypoint: NEWER_ENTRYPOINT });
    await buildImage(engine, folder, { from: old.image, to: BAD.image, entrypoint: SPOILING_ENTRYPOINT });
    await writeModel(old);
    database = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
    gate = await UpgradeGate.open(databaseAddress(database.url));
    await begin();
    for (const name of ['on', 'off']) {
      const made = await api.post('/v1/devices', {
        ...{ name, model: 'stand-in', plan: 'minute', network: { type: 'direct', country: 'zz' } },
      });
      await api.done(made);
      const written = await content(name, { method: 'PUT', body: `the data of ${name}` });
      expect(written.status).to.be.within(200, 204);
    }
    await api.done(await api.post('/v1/devices/off/stop'));
  });
  after(async () => {
    await (running as Installation | undefined)?.stop();
    (gate as UpgradeGate | undefined)?.close();
    await (database as EmbeddedMongo | undefined)?.close();
    await (engine as ContainerEngine | undefined)?.close();
    await removeData(join(folder, 'data'));
    await rm(folder, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    const environment = {
      ...{ PHONE_DRIVER: 'container', MODELS_FILE: join(folder, 'models.json'), PHONE_SUBNETS },
      ...{
        DOCKER_HOST: `unix://${engine.socketPath}`,
        MONGODB_URL: gate.url,
        MONGODB_DATABASE: 'upgrades',
        MESH_TOKEN,
      },
      BILLING: 'off',
    };
    running = await startInstallation({ directory: join(folder, 'data'), start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
    const url = `http://${running.grpc.device}`;
    admin = createClient(AdminService, connectTo({ url, service: 'the device service', meshToken: MESH_TOKEN }));
  }

  function writeModel({ image, android }: { image: string; android: string }): Promise<void> {
    const model = {
      ...{ model: 'stand-in', driver: 'container', android, image, binder: false, privileged: false },
      ...{ screen: { width: 720, height: 1280, density: 320 }, memory_mb: 512, boot_limit_s: 120 },
    };
    return writeFile(join(folder, 'models.json'), JSON.stringify({ models: [model] }));
  }

  /** Changes the model's image, and waits until the service has read it. */
  async function offer(model: { image: string; android: string }): Promise<void> {
    await writeModel(model);
    await until(async () => {
      const { models = [] } = (await api.get('/v1/models')).body as { models?: { android: string[] }[] };
      return models[0]?.android[0] === model.android;
    }, 60_000);
  }

  const content = (name: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${running.baseUrl}/devices/${name}/files/content?path=/sdcard/mark.txt`, {
      ...init,
      headers: { authorization: `Bearer ${running.key}`, 'content-type': 'application/octet-stream' },
    });

  /** Has the update to `step` kill the service, then starts it again. The function says whether that is done. */
  function killAt(step: string, side: StepSide): () => Promise<boolean> {
    let begun: Promise<void> | undefined;
    gate.onStep = async (found, at) => {
      if (found !== step || at !== side) return true;
      gate.onStep = () => Promise.resolve(true);
      await running.kill();
      begun = begunAhead(begin());
      return false;
    };
    return async () => {
      await begun;
      return begun !== undefined;
    };
  }

  const emailOf = async (): Promise<string> => (await admin.listAccounts({})).accounts[0]!.email;

  /** Upgrades a device whose service is killed on the way, and returns the job. */
  async function upgraded(name: string, step: string, side: StepSide): Promise<Record<string, unknown>> {
    const wasKilled = killAt(step, side);
    const { job } = await admin.upgradeImage({ email: await emailOf(), name, now: true });
    const find = async (waitS: number): Promise<Record<string, unknown>> =>
      (await api.get(`/v1/jobs/${job!.id}?wait_s=${waitS}`)).body.job as Record<string, unknown>;
    await until(async () => {
      if (await wasKilled()) return true;
      // The service does not respond while it is killed.
      const { state, error } = await find(1).catch(() => ({ state: 'running', error: undefined }));
      if (state !== 'running' && !(await wasKilled()))
        throw new Error(
          `it ended before the step ${step}, as ${String(state)}: ${JSON.stringify(error)}\n${running.logged()}`,
        );
      return wasKilled();
    });
    let found = await find(60);
    while (found['state'] === 'running') found = await find(60);
    return found;
  }

  /** Asserts that the device is as it was, with its data and this Android, and that no copy is left. */
  async function isWhole(name: string, android: string): Promise<void> {
    const { device } = (await api.get(`/v1/devices/${name}`)).body as { device: Record<string, unknown> };
    expect(device).to.deep.include({ state: name === 'on' ? 'running' : 'stopped', android });
    expect(device['problem']).to.equal(undefined);
    expect((await readdir(join(folder, 'data/container/kept'))).filter((one) => one !== '.scratch')).to.deep.equal([]);
    const containers = (await engine.cli('ps', '--format', '{{.Names}}')).trim().split('\n');
    expect(containers).to.have.length(1);
    if (name === 'off') return;
    expect(await (await content(name)).text()).to.equal(`the data of ${name}`);
    const shown = await engine.cli('inspect', '--format', '{{.ImageName}}', containers[0]!);
    expect(shown).not.to.contain('bad');
  }

  const [here, there] = [() => old, () => NEWER];
  let turn = 0;
  for (const [name, steps] of [
    ['on', ['survey', 'stop', 'copy', 'image', 'boot', 'check', 'drop', 'end']],
    ['off', ['stop', 'boot', 'drop']],
  ] as const) {
    for (const step of steps) {
      for (const side of SIDES) {
        it(`${name}, before ${step}, ${side}: it has its new image, and its data`, async () => {
          const next = turn++ % 2 === 0 ? there() : here();
          await offer(next);
          expect(await upgraded(name, step, side), running.logged()).to.include({ state: 'done' });
          await isWhole(name, next.android);
        });
      }
    }
    it(`${name}: an even number of upgrades leads back to the old image`, () => expect(turn % 2).to.equal(0));
  }

  for (const step of ['image', 'boot', 'back', 'end']) {
    for (const side of SIDES) {
      it(`a bad image, before ${step}, ${side}: it is back on its old image, with its data`, async () => {
        await offer(BAD);
        const job = await upgraded('on', step, side);
        expect(job).to.include({ state: 'failed' });
        expect((job['error'] as { message: string }).message).to.contain('the check "boot" failed');
        await isWhole('on', old.android);
      });
    }
  }

  /** What the last command has reported so far, on its standard error. */
  let reported = '';
  async function run(...words: string[]): Promise<{ status: number | null; out: string; error: string }> {
    const child = spawn(process.execPath, [command, ...words], {
      env: { ...process.env, DEVICE_SERVICE_URL: `http://${running.grpc.device}`, MESH_TOKEN },
    });
    let out = '';
    reported = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (reported += chunk.toString()));
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { status, out, error: reported };
  }

  it('by the command: reports each device, and those that went back, with the check', async () => {
    await offer(BAD);
    // The command reads the job twice a second, and would miss a step that is shorter.
    let boots = 0;
    gate.onStep = async (step, side) => {
      if (step !== 'boot' || side !== 'done') return true;
      boots++;
      await until(() => reported.split('it boots with its new image').length > boots);
      return true;
    };
    const bad = await run('device', 'upgrade-image', '--model', 'stand-in', '--now');
    expect(bad.status).to.equal(1);
    for (const name of ['on', 'off'])
      expect(bad.out).to.match(new RegExp(`^${name} keeps its image: .*the check "boot" failed`, 'm'));
    expect(bad.error).to.contain('on: it boots with its new image').and.to.contain('2 of 2');
    gate.onStep = () => Promise.resolve(true);
    await offer(NEWER);
    const stays = await run('device', 'upgrade-image', '--model', 'stand-in');
    expect(stays.status).to.equal(1);
    expect(stays.out).to.contain('on keeps its image: The device "on" is running.').and.to.contain('--now');
    expect(stays.out).to.contain('off has its new image, with Android 15.');
    const { status, out } = await run('device', 'upgrade-image', '--model', 'stand-in', '--now');
    expect([status, out.trim().split('\n').sort()]).to.deep.equal([
      0,
      ['off has the image of its model already.', 'on has its new image, with Android 15.'],
    ]);
    await isWhole('on', '15');
  });
});
