import { execFile } from 'node:child_process';
import { mkdtempSync, statfsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { Exposition } from '../ops/exposition.js';
import { RestClient } from '../rest-client.js';

const run = promisify(execFile);
const MIB = 1024 ** 2;
const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('a service whose data folder is on a full disk', () => {
  let folder: string;
  let disk: string;
  let running: Installation | undefined;
  let api: RestClient;
  const mount = (...words: string[]): Promise<unknown> => run('mount', [...words, 'tmpfs', disk]);

  before(async function () {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-full-'));
    disk = join(folder, 'disk');
    await mkdir(disk);
    const refused = await mount('-t', 'tmpfs', '-o', 'size=4g').then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (refused !== undefined) skip(this, `needs the right to mount a small disk: ${refused}`);
    running = await startInstallation({
      directory: join(disk, 'data'),
      start,
      environment: { SIMULATED_BOOT_MS: '50' },
    });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  });
  after(async () => {
    await running?.stop();
    await run('umount', [disk]).catch(() => undefined);
    await removeData(folder);
  });

  async function ask(path: string): Promise<{ status: number; body: string }> {
    const response = await fetch(`${running?.opsUrl}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, body: await response.text() };
  }

  it('is not ready, says what to do, and goes on with all phones once there is room', async () => {
    await api.createPhone({ name: 'kept' });
    expect((await ask('/readyz')).status).to.equal(200);
    const { blocks, bfree, bsize } = statfsSync(disk);
    await mount('-o', `remount,size=${(blocks - bfree) * bsize + 16 * MIB}`);
    await until(async () => (await ask('/readyz')).status === 503);
    expect((await ask('/readyz')).body).to.contain('"data_folder":"failing"');
    const health = JSON.parse((await ask('/v1/health')).body) as { problems: string[] };
    expect(health.problems.join('\n')).to.match(/the disk of DATA_DIR .*is full: .*Make room/);
    const { samples } = new Exposition((await ask('/metrics')).body);
    const free = samples.filter(({ name }) => name === 'host_filesystem_free_bytes');
    expect(free.map(({ labels }) => labels['filesystem'])).to.include('DATA_DIR');
    for (const { value } of free) expect(value).to.be.below(64 * MIB);
    expect(await api.post('/v1/devices/kept/stop')).to.include({ status: 503 });

    await mount('-o', 'remount,size=4g');
    await until(async () => (await ask('/readyz')).status === 200);
    // The database looks for room every 50 ms.
    let stop = await api.post('/v1/devices/kept/stop');
    await until(async () => stop.status === 202 || (stop = await api.post('/v1/devices/kept/stop')).status === 202);
    await api.done(stop);
  });
});
