import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { S3_KEY, type S3Server, startS3 } from '../../testing/s3-server.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('a service whose snapshots are copied to a bucket of S3', () => {
  let folder: string;
  let data: string;
  let server: S3Server;
  let running: Installation;
  let api: RestClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshot-store-'));
    data = join(folder, 'data');
    server = await startS3(join(folder, 'objects'), 'phones');
    await startService();
  });
  after(async () => {
    await running.kill();
    await removeData(data);
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startService(): Promise<void> {
    await writeFile(join(folder, 'secret'), `${S3_KEY.secretAccessKey}\n`);
    const environment = {
      SIMULATED_BOOT_MS: '50',
      SNAPSHOT_STORE: 's3://phones/of/test',
      SNAPSHOT_STORE_ENDPOINT: server.endpoint,
      SNAPSHOT_STORE_KEY_ID: S3_KEY.accessKeyId,
      SNAPSHOT_STORE_SECRET_FILE: join(folder, 'secret'),
    };
    running = await startInstallation({ directory: data, start, environment });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }
  const take = async (): Promise<string> =>
    (await api.done(await api.post('/v1/devices/kept/snapshots', {}))).result.snapshot as string;
  const file = (name: string): string => `/v1/devices/${name}/files/content?path=/sdcard/note.txt`;

  it('clones a snapshot from the bucket after the disk with its files was replaced, also after a kill', async () => {
    await api.createPhone({ name: 'kept' });
    expect((await api.ask('PUT', file('kept'), Buffer.from('precious'))).status).to.be.within(200, 299);
    const id = await take();
    await until(async () => (await server.keys()).length === 1);
    const metrics = async (): Promise<string> => (await fetch(`${running.opsUrl}/metrics`)).text();
    await until(async () => /^snapshots_without_copy\{store="s3"\} 0$/m.test(await metrics()));
    await running.kill();
    const files = join(data, 'simulator/snapshots', id);
    expect(existsSync(files)).to.equal(true);
    await rm(files, { recursive: true });
    await startService();
    await api.done(await api.post(`/v1/devices/kept/snapshots/${id}/clone`, { name: 'copy' }));
    expect((await api.get(file('copy'))).bytes.toString()).to.equal('precious');
    expect(existsSync(files)).to.equal(true);
    expect((await api.delete(`/v1/devices/kept/snapshots/${id}`)).status).to.equal(204);
    await until(async () => (await server.keys()).length === 0);
  });

  it('takes and deletes snapshots as ever while the bucket is away, and copies them when it is back', async () => {
    await server.close();
    const { port } = new URL(server.endpoint);
    const [gone, stays] = [await take(), await take()];
    expect((await api.delete(`/v1/devices/kept/snapshots/${gone}`)).status).to.equal(204);
    const { snapshots } = (await api.get('/v1/devices/kept/snapshots')).body;
    expect(snapshots.map(({ id, state }: { id: string; state: string }) => [id, state])).to.deep.equal([
      [stays, 'ready'],
    ]);
    expect((await running.stop()) ?? 0).to.equal(0);
    server = await startS3(join(folder, 'objects'), 'phones', Number(port));
    await startService();
    // The phone ran when the service stopped, so it is started again.
    await until(async () => (await api.get('/v1/devices/kept')).body.device.job === undefined);
    await take();
    await until(async () => (await server.keys()).length === 2);
    expect((await server.keys()).some((name) => name.includes(gone))).to.equal(false);
  });
});
