import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { CATALOGUE_FRESH_MS } from '../../device-service/devices/limits.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));

describe('apps', () => {
  let world: World;
  let folder: string;
  let catalogue: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'apps-'));
    catalogue = path.join(folder, 'offered');
    await mkdir(catalogue);
    await offer({ fixture: 'fixture-v2.apk', older: 'fixture-v1.apk', foreign: 'fixture-other-key.apk' });
    world = await startWorld({ apps: { catalogue, folder: path.join(folder, 'own') } });
    await world.api.createPhone({ name: 'phone' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function offer(files: Record<string, string>): Promise<void> {
    for (const [app, file] of Object.entries(files)) await copyFile(fixture(file), path.join(catalogue, `${app}.apk`));
  }

  async function jobOf(response: Answer): Promise<Record<string, unknown>> {
    expect(response.status, response.bytes.toString()).to.equal(202);
    return (await world.api.get(`/v1/jobs/${response.body.job.id}?wait_s=30`)).body.job;
  }

  const install = async (app: string, device = 'phone') => world.api.post(`/v1/devices/${device}/apps`, { app });
  const uninstall = (name: string, device = 'phone') => world.api.delete(`/v1/devices/${device}/apps/${name}`);
  const installed = async (): Promise<{ package: string; version: string; system: boolean }[]> =>
    (await world.api.get('/v1/devices/phone/apps')).body.apps;

  it('are listed page by page, with an icon for those that have one', async () => {
    const first = await world.api.get('/v1/apps?limit=2');
    expect(first.status).to.equal(200);
    expect(first.body.apps[0]).to.deep.equal({
      app: 'fixture',
      package: 'com.example.fixture',
      name: 'Pröbe 例',
      version: '1.2.3',
      size: 8687,
      icon: '/v1/apps/fixture/icon',
    });
    const second = await world.api.get(`/v1/apps?cursor=${first.body.next_cursor}`);
    expect(second.body.apps.map(({ app }: { app: string }) => app)).to.deep.equal(['older']);
    expect(second.body).not.to.have.property('next_cursor');
    const icon = await world.api.get(first.body.apps[0].icon);
    expect(icon.headers.get('content-type')).to.equal('image/png');
    expect(icon.bytes.toString('latin1', 1, 4)).to.equal('PNG');
    expect((await world.api.get('/v1/apps/none/icon')).body.error).to.equal('not_found');
  });

  it('are installed, listed, opened, kept over a restart, and removed', async () => {
    expect(await jobOf(await install('fixture'))).to.deep.include({
      kind: 'install',
      state: 'done',
      progress: 100,
      result: { package: 'com.example.fixture', version: '1.2.3', installed: ['base.apk'] },
    });
    const apps = await installed();
    expect(apps.find((app) => app.package === 'com.example.fixture')).to.deep.equal({
      package: 'com.example.fixture',
      name: 'Pröbe 例',
      version: '1.2.3',
      system: false,
    });
    expect(apps.filter(({ system }) => system)).to.have.length.greaterThan(3);
    const opened = await world.api.post('/v1/devices/phone/action', { open_app: { app: 'com.example.fixture' } });
    expect(opened.status).to.equal(200);
    const seen = await world.api.get('/v1/devices/phone/observe?screenshot=none');
    expect(seen.body.observation.app).to.equal('com.example.fixture');
    expect(await jobOf(await world.api.post('/v1/devices/phone/restart'))).to.include({ state: 'done' });
    expect((await installed()).map((app) => app.package)).to.include('com.example.fixture');
    expect(await jobOf(await uninstall('com.example.fixture'))).to.deep.include({
      kind: 'uninstall',
      state: 'done',
      result: { package: 'com.example.fixture' },
    });
    expect((await installed()).map((app) => app.package)).not.to.include('com.example.fixture');
    expect(await readdir(path.join(folder, 'own'))).to.deep.equal([]);
  });

  it('are paged on a phone too', async () => {
    const whole = await installed();
    const first = await world.api.get('/v1/devices/phone/apps?limit=3');
    expect(first.body.apps).to.deep.equal(whole.slice(0, 3));
    const rest = await world.api.get(`/v1/devices/phone/apps?cursor=${first.body.next_cursor}`);
    expect(rest.body.apps).to.deep.equal(whole.slice(3));
  });

  it("fail with the phone's own words, and the device stays healthy", async () => {
    await jobOf(await install('fixture'));
    const older = await jobOf(await install('older'));
    expect(older).to.include({ state: 'failed' });
    expect(older['error']).to.include({ error: 'bad_request' });
    expect((older['error'] as { message: string }).message).to.match(/Failure \[INSTALL_FAILED_VERSION_DOWNGRADE: /);
    const foreign = await jobOf(await install('foreign'));
    expect((foreign['error'] as { message: string }).message).to.contain('INSTALL_FAILED_UPDATE_INCOMPATIBLE');
    const { device } = (await world.api.get('/v1/devices/phone')).body;
    expect(device).to.include({ state: 'running' }).and.not.to.have.any.keys('problem', 'job');
    expect((await installed()).find((app) => app.package === 'com.example.fixture')).to.include({ version: '1.2.3' });
    await jobOf(await uninstall('com.example.fixture'));
  });

  it('are offered as soon as their file is there, and fail when it has gone before their turn', async () => {
    await offer({ new: 'fixture-v1.apk' });
    await new Promise((resolve) => setTimeout(resolve, CATALOGUE_FRESH_MS));
    expect((await world.api.get('/v1/apps')).body.apps.map(({ app }: { app: string }) => app)).to.include('new');
    await rm(path.join(catalogue, 'new.apk'));
    // A job listed just now can still be accepted.
    const job = await jobOf(await install('new'));
    expect(job).to.include({ state: 'failed' });
    expect((job['error'] as { message: string }).message).to.contain('not in the catalogue');
  });

  it('want values that are allowed, a running phone, and an app that can be removed', async () => {
    const unknown = await install('none');
    expect([unknown.status, unknown.body.error]).to.deep.equal([400, 'bad_request']);
    expect(unknown.body.message).to.contain('GET /v1/apps');
    expect((await world.api.post('/v1/devices/phone/apps', {})).status).to.equal(400);
    for (const response of [
      await install('fixture', 'off'),
      await uninstall('com.example.fixture', 'off'),
      await world.api.get('/v1/devices/off/apps'),
    ]) {
      expect([response.status, response.body.error]).to.deep.equal([409, 'busy']);
      expect(response.body.message).to.contain('POST /v1/devices/off/start');
    }
    expect((await uninstall('com.example.none')).status).to.equal(404);
    const system = await uninstall('com.cloudphone.settings');
    expect([system.status, system.body.error]).to.deep.equal([400, 'bad_request']);
    expect(system.body.message).to.contain('app of the system');
    expect((await uninstall('a%3Brm%20-rf')).status).to.equal(400);
  });

  it('are busy while another job is at work, and the phone stays in use meanwhile', async () => {
    const responses = await Promise.all([install('fixture'), install('fixture')]);
    const accepted = responses.find(({ status }) => status === 202)!;
    const refused = responses.find(({ status }) => status === 409)!;
    expect(refused.body.message).to.contain(`busy with job ${accepted.body.job.id} (install)`);
    expect((await world.api.get('/v1/devices/phone/screenshot')).status).to.equal(200);
    expect(await jobOf(accepted)).to.include({ state: 'done' });
    await jobOf(await uninstall('com.example.fixture'));
  });
});
