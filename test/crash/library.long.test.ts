import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { largeApk } from '../../testing/phone/large-apk.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const APK = 'application/vnd.android.package-archive';
const FIXTURE = 'com.example.fixture';
const APK_MIB = 24;

/** After which time the kill comes, ms: from before anything was done to after all of it, on machines of different speed. */
const KILLS_MS = [0, 80, 300];

describe('kill -9 of the service and of its phones, with apps of the library', function () {
  this.timeout(900_000);
  let directory: string;
  let running: Installation;
  let api: RestClient;
  let apk: Buffer;

  before(async () => {
    apk = await largeApk(APK_MIB);
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-library-'));
    await begin();
    await api.createPhone({ name: 'phone' });
  });
  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  async function begin(): Promise<void> {
    const environment = { SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1' };
    running = await startInstallation({ directory, start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }
  async function killAndBegin(): Promise<void> {
    killTree(running.pid);
    await running.kill();
    await begin();
  }

  const put = async (name: string): Promise<void> => {
    const response = await fetch(`${running.baseUrl}/library/apps/${name}`, {
      ...{ method: 'PUT', headers: { authorization: `Bearer ${running.key}`, 'content-type': APK } },
      body: new Uint8Array(apk),
    });
    expect(response.status, await response.text()).to.equal(200);
  };
  const names = async (): Promise<string[]> =>
    (await api.get('/v1/library/apps')).body.apps.map(({ name }: { name: string }) => name);
  /** Folders of uploads and installs, beside the library and the catalogue. */
  const leftOvers = (): string[] => {
    const apps = join(directory, 'apps');
    return existsSync(apps)
      ? readdirSync(apps).filter((name) => name !== 'library' && !name.startsWith('catalogue-'))
      : [];
  };
  const hasApp = async (device: string): Promise<boolean> => {
    await until(async () => (await api.get(`/v1/devices/${device}/screenshot`)).status === 200, 60_000);
    const { apps } = (await api.get(`/v1/devices/${device}/apps`)).body;
    return apps.some((app: { package: string }) => app.package === FIXTURE);
  };
  const ended = async (accepted: Answer): Promise<Answer['body']> =>
    (await api.get(`/v1/jobs/${accepted.body.job.id}?wait_s=60`)).body.job;

  it('leaves nothing of an upload in whose middle it comes', async () => {
    const { hostname, port } = new URL(running.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `PUT /v1/library/apps/half HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${running.key}\r\n` +
        `content-type: ${APK}\r\ncontent-length: ${apk.length}\r\n\r\n`,
    );
    socket.write(apk.subarray(0, apk.length / 2));
    await until(() => leftOvers().length === 1);
    killTree(running.pid);
    await closed;
    await running.kill();
    await begin();
    expect(leftOvers()).to.deep.equal([]);
    expect(await names()).to.deep.equal([]);
    expect((await api.get('/v1/library/apps/half')).status).to.equal(404);
  });

  it('has an upload whole or not at all, and takes it again', async () => {
    for (const [at, afterMs] of KILLS_MS.entries()) {
      const name = `app${at}`;
      const sending = put(name).then(
        () => true,
        () => false,
      );
      await systemClock.sleep(afterMs);
      killTree(running.pid);
      const isStored = await sending;
      await running.kill();
      await begin();
      if (isStored) expect(await names()).to.include(name);
      expect(leftOvers()).to.deep.equal([]);
      await put(name);
      const { app } = (await api.get(`/v1/library/apps/${name}`)).body;
      expect(app).to.include({ package: FIXTURE, size: apk.length });
      expect(statSync(join(directory, 'apps/library', app.sha256 as string)).size).to.equal(apk.length);
    }
  });

  it('ends an install once: the phone has the app, or the job says that the phone stopped', async () => {
    await put('shop');
    for (const afterMs of KILLS_MS) {
      const accepted = await api.post('/v1/devices/phone/apps', { app: 'my/shop' });
      expect(accepted.status, accepted.bytes.toString()).to.equal(202);
      await systemClock.sleep(afterMs);
      await killAndBegin();
      const job = await ended(accepted);
      if (job.state === 'done') expect(await hasApp('phone')).to.equal(true);
      else expect(job.error.message).to.contain('stopped running before the install was done');
      await hasApp('phone');
      const jobs = (await api.get('/v1/jobs?device=phone&limit=200')).body.jobs as { id: string }[];
      expect(jobs.filter(({ id }) => id === job.id)).to.have.length(1);
      expect(leftOvers()).to.deep.equal([]);
    }
  });

  it('ends the making of a phone with apps once, with all of its apps', async () => {
    await put('shop');
    for (const [at, afterMs] of [...KILLS_MS, 700].entries()) {
      const name = `made${at}`;
      const accepted = await api.post('/v1/devices', {
        ...{ name, model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' },
        apps: ['trails', 'my/shop', 'recipes'],
      });
      expect(accepted.status, accepted.bytes.toString()).to.equal(202);
      await systemClock.sleep(afterMs);
      await killAndBegin();
      const job = await ended(accepted);
      expect(job, `killed after ${afterMs} ms: ${JSON.stringify(job)}`).to.include({ kind: 'create', state: 'done' });
      expect(await hasApp(name)).to.equal(true);
      const { apps } = (await api.get(`/v1/devices/${name}/apps`)).body;
      const packages = apps.map((app: { package: string }) => app.package);
      expect(packages).to.include.members(['org.cloudphone.demo.trails', 'org.cloudphone.demo.recipes']);
      await until(() => leftOvers().length === 0);
      await api.done(await api.delete(`/v1/devices/${name}`));
    }
  });
});
