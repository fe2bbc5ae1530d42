import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('a service that starts while the engine of some of its phones is away', function () {
  let folder: string;
  let service: Installation | undefined;

  before(function () {
    if (process.getuid?.() !== 0) skip(this, 'phones in containers need root');
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-engine-away-'));
  });
  after(async () => {
    await service?.stop();
    if (existsSync(folder)) await removeData(folder);
  });

  it('serves its other phones and REST, and responds 503 for models of the engine, with the reason for the operator', async () => {
    const modelsFile = join(folder, 'models.json');
    const models = [{ model: 'redroid-14', driver: 'container', android: '14', image: 'localhost/redroid:14' }].map(
      (model) => ({
        ...model,
        screen: { width: 720, height: 1280, density: 320 },
      }),
    );
    writeFileSync(modelsFile, JSON.stringify({ models }));
    service = await startInstallation({
      directory: join(folder, 'data'),
      start,
      environment: {
        ...{ PHONE_DRIVER: 'simulated,container', MODELS_FILE: modelsFile, SIMULATED_BOOT_MS: '100' },
        DOCKER_HOST: `unix://${folder}/no-engine.sock`,
      },
    });
    const api = new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
    await api.createPhone({ name: 'simulated' });
    const offered = (await api.get('/v1/models')).body.models.map(({ model }: { model: string }) => model);
    expect(offered).to.include('phone-720p').and.not.to.include('redroid-14');
    const network = { type: 'direct', country: 'zz' };
    const refused = await api.post('/v1/devices', { model: 'redroid-14', network, plan: 'minute' });
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).to.equal('60');
    const unknown = await api.post('/v1/devices', { model: 'redroid-15', network, plan: 'minute' });
    expect([unknown.status, unknown.body.error]).to.deep.equal([400, 'bad_request']);
    const health = await (await fetch(`${service.opsUrl}/v1/health`)).text();
    expect(health).to.contain('redroid-14').and.to.contain('DOCKER_HOST').and.to.contain('no-engine.sock');
  });
});
