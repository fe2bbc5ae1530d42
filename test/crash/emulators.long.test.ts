import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findPhoneProcesses } from '../../phone/emulator/phone-processes.js';
import { needsNamespaces } from '../../phone/emulator/testing/emulator-world.js';
import { AndroidHome } from '../../testing/emulator/android-home.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('kill -9 of the service while it starts, stops and deletes emulators', function () {
  let directory: string;
  let phones: string;
  let running: Installation;
  let api: RestClient;

  before(async function () {
    await needsNamespaces(this);
    try {
      accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
    } catch {
      skip(this, 'needs /dev/kvm: without it the driver offers no model, although the stand-in would run');
    }
    directory = mkdtempSync(join(tmpdir(), 'emulators-'));
    phones = join(directory, 'data/emulator/phones');
    new AndroidHome(join(directory, 'sdk'));
    const model = {
      ...{ model: 'stand-in', driver: 'emulator', android: '14', system_image: AndroidHome.image, memory_mb: 512 },
      screen: { width: 360, height: 640, density: 160 },
    };
    writeFileSync(join(directory, 'models.json'), JSON.stringify({ models: [model] }));
    await begin();
  });
  after(async () => {
    await (running as Installation | undefined)?.stop();
    if ((directory as string | undefined) === undefined) return;
    for (const pid of processes()) process.kill(pid, 'SIGKILL');
    await removeData(join(directory, 'data'));
    rmSync(directory, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    const environment = {
      ...{ PHONE_DRIVER: 'emulator', MODELS_FILE: join(directory, 'models.json'), BOOTS_AT_ONCE: '2' },
      ANDROID_HOME: join(directory, 'sdk'),
    };
    running = await startInstallation({ directory: join(directory, 'data'), start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }

  const folders = (): string[] =>
    (existsSync(phones) ? readdirSync(phones) : []).filter((name) => !name.startsWith('.'));
  const processes = (): number[] =>
    [...findPhoneProcesses()].flatMap(([folder, pids]) => (folder.startsWith(phones) ? pids : []));

  /** Kills the service as soon as `holds`, and starts it again. */
  async function killOnce(holds: () => boolean): Promise<void> {
    await until(holds);
    await running.kill();
    await begin();
  }

  /** Waits for the end of an accepted job, also over a restart of the service; returns the device after it. */
  async function ended(accepted: Answer): Promise<{ state: string } | undefined> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    const { id } = accepted.body.job as { id: string };
    let job: { state: string } = { state: 'running' };
    while (job.state === 'running') job = (await api.get(`/v1/jobs/${id}?wait_s=60`)).body.job;
    expect(job).to.include({ state: 'done' });
    const { status, body } = await api.get('/v1/devices/phone');
    return status === 404 ? undefined : body.device;
  }

  const create = (): Promise<Answer> =>
    api.post('/v1/devices', {
      ...{ name: 'phone', model: 'stand-in', plan: 'minute' },
      network: { type: 'direct', country: 'zz' },
    });

  const state = async (): Promise<string> => (await api.get('/v1/devices/phone')).body.device.state as string;

  /** Asserts that each phone that is reported as running runs once and can be used, and that nothing is left of deleted ones. */
  async function isTrue(): Promise<void> {
    const { devices } = (await api.get('/v1/devices')).body as { devices: { state: string }[] };
    const on = devices.filter(({ state }) => state === 'running').length;
    // The supervisor and its emulator.
    expect(processes(), JSON.stringify(devices)).to.have.length(2 * on);
    expect(folders()).to.have.length(devices.length);
    if (on > 0) expect((await api.get('/v1/devices/phone/screenshot')).status).to.equal(200);
  }

  const inFolder = (name: string): boolean => folders().some((phone) => existsSync(join(phones, phone, name)));
  const isLogged = (text: string): boolean =>
    inFolder('emulator.log') &&
    folders().some((phone) => readFileSync(join(phones, phone, 'emulator.log'), 'utf8').includes(text));

  const points: [when: string, holds: () => boolean][] = [
    ['the phone has a folder', () => folders().length > 0],
    ['its supervisor is a process', () => processes().length > 0],
    ['its supervisor has written its record', () => inFolder('run.json')],
    ['its emulator has its ports', () => inFolder('runtime/avd/running')],
    ['its Android has booted', () => isLogged('Boot completed')],
  ];
  for (const [when, holds] of points)
    it(`create, when ${when}`, async () => {
      const accepted = await create();
      await killOnce(holds);
      expect(await ended(accepted)).to.include({ state: 'running' });
      await isTrue();
      await ended(await api.delete('/v1/devices/phone'));
      await isTrue();
    });

  it('stop and delete, when the emulator has ended', async () => {
    await ended(await create());
    const stopped = await api.post('/v1/devices/phone/stop');
    await killOnce(() => processes().length < 2);
    expect(await ended(stopped)).to.include({ state: 'stopped' });
    await isTrue();
    await ended(await api.post('/v1/devices/phone/start'));
    await isTrue();
    const deleted = await api.delete('/v1/devices/phone');
    await killOnce(() => processes().length < 2);
    expect(await ended(deleted)).to.equal(undefined);
    await isTrue();
  });

  it('and of the emulator while there is no service: it is noticed, and runs again', async () => {
    await ended(await create());
    await running.kill();
    for (const pid of processes()) process.kill(pid, 'SIGKILL');
    await begin();
    let tries = 0;
    // Every half a second: a key has 60 requests a minute.
    await until(async () => processes().length === 2 && ++tries % 100 === 0 && (await state()) === 'running');
    await isTrue();
    await ended(await api.delete('/v1/devices/phone'));
    await isTrue();
  });
});
