import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { systemClock } from '../../kit/async/clock.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const phoneProgram = fileURLToPath(new URL('../../simulated-phone/alone/main.js', import.meta.url));

describe('a phone that was there before the service, as a device over REST', function () {
  let directory: string;
  let phone: ChildProcess;
  let running: Installation;
  let api: RestClient;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-attached-'));
    const port = await freePort();
    phone = spawn(process.execPath, [phoneProgram, '--port', String(port), '--data', join(directory, 'phone')], {
      env: { ...process.env, SIMULATED_BOOT_MS: '50' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) =>
      phone.stdout?.on('data', (text: Buffer) => {
        if (text.toString().includes('phone ready')) resolve();
      }),
    );
    const phones = join(directory, 'phones.json');
    writeFileSync(
      phones,
      JSON.stringify({ phones: [{ address: `127.0.0.1:${port}`, model: 'bench', clean: 'uninstall' }] }),
    );
    const environment = {
      PHONES_FILE: phones,
      PHONE_DRIVER: 'attached,simulated',
      SIMULATED_BOOT_MS: '50',
      HOST_COUNTRY: 'nl',
    };
    running = await startInstallation({ directory: join(directory, 'data'), start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  });
  after(async () => {
    await running.stop();
    phone.kill('SIGKILL');
    await removeData(directory);
  });

  /** A phone that has just been given back is being cleaned, and known to be free at its host's next measurement. */
  async function create(name: string): Promise<void> {
    const request = { name, model: 'bench', plan: 'minute', network: { type: 'direct', country: 'nl' } };
    for (let tries = 0; ; tries++) {
      const accepted = await api.post('/v1/devices', request);
      if (accepted.status !== 409 || tries === 120) {
        await api.done(accepted);
        return;
      }
      await systemClock.sleep(1_000);
    }
  }

  it('is created, observed, used, deleted and created again, beside a simulated one', async () => {
    await api.createPhone({ name: 'simulated' });
    for (let round = 0; round < 2; round++) {
      await create('attached');
      const opened = await api.post('/v1/devices/attached/act', { open_app: { app: 'Notes' }, observe: 'elements' });
      expect(opened.body).to.include({ steps_done: 1 });
      expect(opened.body.observation.app).to.equal('com.cloudphone.notes');
      const second = { model: 'bench', plan: 'minute', network: { type: 'direct', country: 'nl' } };
      expect((await api.post('/v1/devices', { ...second, name: 'second' })).status, 'there is one phone').to.equal(409);
      await api.done(await api.delete('/v1/devices/attached'));
    }
  });

  it('is offered no simulated exit, and gets none', async () => {
    const { options } = (await api.get('/v1/network/options')).body;
    const own = options.filter(({ drivers }: { drivers: string[] }) => drivers.includes('attached'));
    expect(own).to.deep.equal([
      { type: 'direct', country: 'nl', timezones: ['UTC'], rotates: false, drivers: ['attached'] },
    ]);
    const request = { name: 'elsewhere', model: 'bench', plan: 'minute', network: { type: 'direct', country: 'de' } };
    const refused = await api.post('/v1/devices', request);
    expect([refused.status, refused.body.message]).to.deep.equal([
      400,
      'network.country: "de" is not on offer for direct with phones of driver attached; on offer are nl',
    ]);
  });

  it('keeps its own network, and its state cannot be copied', async () => {
    await create('fixed');
    const network = await api.post('/v1/devices/fixed/network', { type: 'direct', country: 'de' });
    expect([network.status, network.body.message]).to.deep.equal([
      400,
      'The exit of "fixed" cannot be changed: phones of model "bench" have a network of their own.',
    ]);
    expect((await api.post('/v1/devices/fixed/snapshots', {})).status).to.equal(400);
    await api.done(await api.delete('/v1/devices/fixed'));
  });
});
