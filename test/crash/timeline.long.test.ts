import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const START = new URL('../../start.js', import.meta.url).pathname;

/** Starts that are killed. */
const KILLS = 4;

describe('a timeline while the service is killed', function () {
  let directory: string;
  let service: Installation | undefined;
  before(() => (directory = mkdtempSync(join(tmpdir(), 'cloudphone-timeline-'))));
  after(async () => {
    await service?.kill();
    await removeData(directory);
  });

  it('keeps what was written, once each, and goes on', async () => {
    const seen = new Set<string>();
    for (let kill = 0; kill <= KILLS; kill++) {
      service = await startInstallation({ directory, start: START });
      const api = new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
      if (kill === 0) {
        await api.createPhone({ name: 'phone' });
        await api.ask('PATCH', '/v1/devices/phone', { timeline: true });
      }
      await until(async () => (await api.get('/v1/devices/phone')).body.device.state === 'running');
      const list = async (): Promise<{ id: string; after?: string }[]> =>
        (await api.get('/v1/devices/phone/timeline?limit=200')).body.entries;
      const left = await list();
      expect(new Set(left.map(({ id }) => id)).size).to.equal(left.length);
      for (const id of seen) expect(left.map((entry) => entry.id)).to.include(id);
      const over = new AbortController();
      const acting = (async () => {
        while (!over.signal.aborted) {
          const response = await api
            .post('/v1/devices/phone/act', { key: { name: 'home' }, observe: 'none', settle_ms: 0 })
            .catch(() => undefined);
          if (response !== undefined && response.status >= 500 && response.status !== 503) {
            throw new Error(`act failed: ${response.bytes.toString()}`);
          }
        }
      })();
      await until(async () => (await list()).length > left.length);
      for (const { id } of await list()) seen.add(id);
      await systemClock.sleep(Math.floor(Math.random() * 100));
      await service.kill();
      over.abort();
      await acting;
    }
    expect(seen.size).to.be.greaterThan(KILLS);
  });
});
