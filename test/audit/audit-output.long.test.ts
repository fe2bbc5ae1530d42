import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const START = new URL('../../start.js', import.meta.url).pathname;

describe('AUDIT_LOG=stdout', () => {
  let directory: string;
  let service: Installation;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-audit-'));
    service = await startInstallation({ directory, start: START, environment: { AUDIT_LOG: 'stdout' } });
  });
  after(async () => {
    await service.stop();
    await removeData(directory);
  });

  it('writes each entry as a line of JSON, for collectors', async () => {
    const api = new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
    const refused = await api.delete('/v1/devices/nothing');
    expect(refused.status).to.equal(404);
    const lines = (): Record<string, unknown>[] =>
      service
        .printed()
        .split('\n')
        .filter((line) => line.startsWith('{"audit":true'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await until(() => lines().length > 0);
    const [line] = lines();
    expect(line).to.include({ action: 'DeviceService.DeleteDevice', device: 'nothing', outcome: 'not_found' });
    expect(line?.['account']).to.match(/^acc_/);
    expect(line?.['actor']).to.include({ kind: 'key', name: 'quickstart' });
    expect(line?.['digest']).to.match(/^[0-9a-f]{64}$/);
  });
});
