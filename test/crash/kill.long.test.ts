import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Installation, startInstallation, removeData } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('kill -9 of the whole service', function () {
  let directory: string;
  let running: Installation | undefined;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-kill-'));
  });

  after(async () => {
    await running?.stop();
    await removeData(directory);
  });

  async function begin(): Promise<RestClient> {
    running = await startInstallation({ directory, start, environment: { SIMULATED_BOOT_MS: '100' } });
    return client();
  }

  function client(): RestClient {
    return new RestClient(running!.baseUrl.replace(/\/v1$/, ''), running!.key);
  }

  it('loses no job, no device and no state', async () => {
    let api = await begin();
    const key = running!.key;
    await api.createPhone({ name: 'keeps-running' });
    await api.createPhone({ name: 'stays-stopped', start: false });

    // Killed right after the response: the jobs were accepted, so they must be done, each once.
    const accepted = await Promise.all([
      api.post('/v1/devices', {
        name: 'half-made',
        model: 'phone-720p',
        network: { type: 'direct', country: 'us' },
        plan: 'minute',
      }),
      api.post('/v1/devices/keeps-running/restart'),
      api.post('/v1/devices/stays-stopped/start'),
    ]);
    await running!.kill();
    api = await begin();
    expect(running!.key).to.equal(key);
    for (const response of accepted) await api.done(response);
    const { body } = await api.get('/v1/devices');
    expect(body.devices.map(({ name, state }: { name: string; state: string }) => [name, state])).to.deep.equal([
      ['half-made', 'running'],
      ['keeps-running', 'running'],
      ['stays-stopped', 'running'],
    ]);
    expect((await api.get('/v1/devices/half-made/screenshot')).status).to.equal(200);
  });

  it('leaves running phones running, and finds them again', async () => {
    let api = client();
    const before = await api.get('/v1/devices/keeps-running');
    await running!.kill();
    api = await begin();
    const after = await api.get('/v1/devices/keeps-running');
    expect(after.body.device.state).to.equal('running');
    expect(after.body.device.uptime).to.be.at.least(before.body.device.uptime as number);
  });

  it('completes the deletions that had begun', async () => {
    let api = client();
    const accepted = await api.delete('/v1/devices/half-made');
    await running!.kill();
    api = await begin();
    await api.done(accepted);
    expect((await api.get('/v1/devices/half-made')).status).to.equal(404);
    await api.createPhone({ name: 'half-made', start: false });
  });

  it('ends with status 0 on SIGTERM, and its phones come back at the next start', async () => {
    expect(await running!.stop()).to.equal(0);
    const api = await begin();
    const { body } = await api.get('/v1/jobs?device=keeps-running&state=running');
    for (const job of body.jobs as { id: string }[]) await api.get(`/v1/jobs/${job.id}?wait_s=30`);
    expect((await api.get('/v1/devices/keeps-running')).body.device.state).to.equal('running');
  });

  it('refuses a data folder that is in use, in one line', async () => {
    let complaint = '';
    try {
      await startInstallation({ directory, start });
    } catch (error) {
      complaint = String(error);
    }
    expect(complaint).to.contain('ended with status 1').and.to.contain(directory).and.to.contain(String(running!.pid));
  });
});
