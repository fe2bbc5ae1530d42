import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { PHONE_SUBNETS } from '../../testing/phone-subnets.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const run = promisify(execFile);
const start = fileURLToPath(new URL('../../start.js', import.meta.url));

/** The part of a device that the tests read. */
interface Device {
  state: string;
  problem?: { kind: string; message: string };
}

describe('phones in containers on a disk without quotas', function () {
  this.timeout(900_000);
  let folder: string;
  let data: string;
  let isMounted = false;
  let engine: ContainerEngine;
  let running: Installation;
  let api: RestClient;

  /** A file system of memory has no project quotas. */
  const mount = (options: string): Promise<unknown> => run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', data]);

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'measured-'));
    data = join(folder, 'data');
    await mkdir(data);
    const refused = await mount('size=8g').then(() => undefined, String);
    if (refused !== undefined) skip(this, `needs the right to mount a disk: ${refused}`);
    isMounted = true;
    const started = await startEngine(join(folder, 'engine'));
    if (typeof started === 'string') skip(this, started);
    engine = started;
    const image = await engine.load(await phoneImage());
    const model = {
      ...{ model: 'stand-in', driver: 'container', android: '14', image, binder: false, privileged: false },
      ...{ screen: { width: 720, height: 1280, density: 320 }, memory_mb: 512, disk_mb: 256, boot_limit_s: 60 },
    };
    await writeFile(join(folder, 'models.json'), JSON.stringify({ models: [model] }));
    const environment = {
      ...{ PHONE_DRIVER: 'container', MODELS_FILE: join(folder, 'models.json') },
      ...{ DOCKER_HOST: `unix://${engine.socketPath}`, PHONE_SUBNETS },
    };
    running = await startInstallation({ directory: data, start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  });
  after(async () => {
    await (running as Installation | undefined)?.stop();
    await (engine as ContainerEngine | undefined)?.close();
    if (isMounted) await run('umount', ['--lazy', data]);
    await removeData(data);
    await rm(folder, { recursive: true, force: true });
  });

  const device = async (name: string): Promise<Device> => (await api.get(`/v1/devices/${name}`)).body.device as Device;

  /** Has the phone write a file of so many MiB as root. */
  async function write(name: string, mib: number): Promise<void> {
    const filter = `label=cloudphone.device=${name}`;
    const id = (await engine.cli('ps', '--quiet', '--filter', filter)).trim();
    const words = ['busybox', 'dd', 'if=/dev/zero', 'of=/data/large', 'bs=1M', `count=${mib}`];
    // The phone may be measured, and stopped, before the last MiB is written.
    await engine.cli('exec', id, ...words).catch(() => undefined);
  }

  const stopped = (name: string): Promise<void> => until(async () => (await device(name)).state === 'stopped');

  it('are stopped with the reason when they are too large, can be started again, and go first when the disk is low', async () => {
    for (const name of ['large', 'small']) {
      const network = { type: 'direct', country: 'zz' };
      await api.done(await api.post('/v1/devices', { name, model: 'stand-in', plan: 'minute', network }));
    }
    await write('large', 400);
    await stopped('large');
    const { problem } = await device('large');
    expect(problem).to.include({ kind: 'storage' });
    expect(problem?.message).to.match(/its files take \d\d\d MiB and its model has 256 MiB\. Call POST .*delete files/);
    expect(await device('small')).to.include({ state: 'running' });

    await api.done(await api.post('/v1/devices/large/start'));
    expect(await device('large'))
      .to.include({ state: 'running' })
      .and.not.to.have.property('problem');

    // Too little is free for a phone that is too large, although its owner still had time.
    await mount('remount,size=3g');
    await stopped('large');
    expect((await device('large')).problem).to.include({ kind: 'storage' });
    expect(await device('small'))
      .to.include({ state: 'running' })
      .and.not.to.have.property('problem');
  });
});
