import { mkdtempSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { TemplateDocument } from '../../device-service/store/templates.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { systemClock } from '../../kit/async/clock.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test that is long enough';
const NAMES = ['host-a', 'host-b'] as const;
type Name = (typeof NAMES)[number];

/** After which time a kill comes, ms: from before anything was done to after all of it, on machines of different speed. */
const KILLS_MS = [40, 300];
const FILES = 300;

describe('kill -9 of hosts in the middle of work on templates', function () {
  this.timeout(900_000);
  let folder: string;
  let server: EmbeddedMongo;
  let connection: MongoConnection;
  let key: string;
  let snapshot: string;
  const hosts = new Map<Name, Installation>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-templates-'));
    server = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
    connection = await connectMongo({ url: server.url, database: 'templates', log: silentLog });
    for (const name of NAMES) await open(name);
    key = hosts.get('host-a')!.key;
    await api('host-a').createPhone({ name: 'phone' });
    const { _id: phoneId } = (await devices().findOne({ name: 'phone' }))!;
    for (let at = 0; at < FILES; at++)
      await writeFile(join(shared('host-a', phoneId), `file${at}`), String(at).repeat(1_000));
    await api('host-a').done(await api('host-a').post('/v1/devices/phone/stop'));
    const taken = await api('host-a').post('/v1/devices/phone/snapshots');
    await api('host-a').done(taken);
    snapshot = taken.body.snapshot.id as string;
  });
  after(async () => {
    for (const { pid } of hosts.values()) killTree(pid);
    await connection.close();
    await server.close();
    await removeData(folder);
  });

  async function open(name: Name): Promise<void> {
    const environment = {
      ...{ MONGODB_URL: server.url, MONGODB_DATABASE: 'templates', HOST_ID: name, MESH_TOKEN, LOG_LEVEL: 'error' },
      ...{ PHONE_HOST: '127.0.0.1', SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1', QUOTA_DEVICES: '0' },
    };
    hosts.set(name, await startInstallation({ directory: join(folder, name), start, environment }));
  }
  const api = (name: Name): RestClient => new RestClient(hosts.get(name)!.baseUrl.replace(/\/v1$/, ''), key);
  const devices = () => connection.database.collection<DeviceDocument>('devices');
  const templates = () => connection.database.collection<TemplateDocument>('templates');
  const shared = (host: Name, phoneId: string): string =>
    join(folder, host, 'simulator/phones', phoneId, 'state/files/storage/emulated/0');
  const filesOf = async (host: Name, part: 'snapshots' | 'arriving'): Promise<string[]> =>
    (await readdir(join(folder, host, 'simulator', part)).catch(() => [])).filter((id) => id.startsWith('tpl_'));
  const drained = (host: Name, is: boolean): Promise<unknown> =>
    connection.database
      .collection<{ _id: string }>('hosts')
      .updateOne({ _id: host }, is ? { $set: { draining: true } } : { $unset: { draining: '' } });

  /** Kills a host and its phones after a time, and starts it again. */
  async function killed(victim: Name, afterMs: number): Promise<void> {
    await systemClock.sleep(afterMs);
    killTree(hosts.get(victim)!.pid);
    await hosts.get(victim)!.kill();
    await open(victim);
  }
  /** Returns the accepted job once it has ended. */
  async function ended(accepted: Answer): Promise<{ state: string; error?: { message: string } }> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await api('host-b').get(`/v1/jobs/${accepted.body.job.id as string}?wait_s=60`)).body.job;
  }
  const save = (name: string): Promise<Answer> => api('host-a').post('/v1/templates', { snapshot, name });
  const make = (through: Name, name: string, template: string): Promise<Answer> =>
    api(through).post('/v1/devices', {
      ...{ name, template, network: { type: 'direct', country: 'us' }, plan: 'minute', start: false },
    });
  async function isWhole(host: Name, name: string): Promise<void> {
    const { _id: phoneId, hostId } = (await devices().findOne({ name }))!;
    expect(hostId).to.equal(host);
    for (const at of [0, FILES - 1])
      expect(await readFile(join(shared(host, phoneId), `file${at}`), 'utf8')).to.equal(String(at).repeat(1_000));
    expect((await readdir(shared(host, phoneId))).length).to.be.at.least(FILES);
  }
  const isGone = async (): Promise<boolean> =>
    (await templates().countDocuments()) === 0 &&
    (await Promise.all(NAMES.flatMap((host) => [filesOf(host, 'snapshots'), filesOf(host, 'arriving')]))).flat()
      .length === 0;

  it('saves all of it', async () => {
    for (const afterMs of KILLS_MS) {
      const accepted = await save('saved');
      await killed('host-a', afterMs);
      expect(await ended(accepted), `killed after ${afterMs} ms`).to.include({ state: 'done' });
      expect((await api('host-a').get('/v1/templates/saved')).body.template).to.include({ state: 'ready' });
      expect(await ended(await make('host-a', 'of-saved', 'saved'))).to.include({ state: 'done' });
      await isWhole('host-a', 'of-saved');
      await api('host-a').done(await api('host-a').delete('/v1/devices/of-saved'));
      expect((await api('host-a').delete('/v1/templates/saved')).status).to.equal(204);
      await until(isGone, 120_000);
    }
  });

  it('makes one device, whole', async () => {
    expect(await ended(await save('golden'))).to.include({ state: 'done' });
    for (const afterMs of KILLS_MS) {
      const accepted = await make('host-a', 'made', 'golden');
      await killed('host-a', afterMs);
      expect(await ended(accepted), `killed after ${afterMs} ms`).to.include({ state: 'done' });
      expect(await devices().countDocuments({ name: 'made', gone: { $exists: false } })).to.equal(1);
      await isWhole('host-a', 'made');
      await api('host-a').done(await api('host-a').delete('/v1/devices/made'));
    }
  });

  for (const victim of NAMES) {
    it(`copies all of it to another host, where ${victim === 'host-a' ? 'the source' : 'that host'} is killed`, async () => {
      const { _id: id } = (await templates().findOne({ name: 'golden' }))!;
      for (const afterMs of KILLS_MS) {
        await drained('host-a', true);
        const accepted = await make('host-b', 'made', 'golden');
        await drained('host-a', false);
        await killed(victim, afterMs);
        expect(await ended(accepted), `killed after ${afterMs} ms`).to.include({ state: 'done' });
        await isWhole('host-b', 'made');
        await api('host-b').done(await api('host-b').delete('/v1/devices/made'));
        await until(async () => (await templates().findOne({ _id: id }))?.hosts.length === 2, 120_000);
        expect(await filesOf('host-b', 'arriving')).to.deep.equal([]);
        // It is as if the host had never had it.
        await templates().updateOne({ _id: id }, { $set: { hosts: [{ hostId: 'host-a' }] } });
        await removeData(join(folder, 'host-b/simulator/snapshots', id));
      }
    });
  }

  it('deletes all of it, on each host', async () => {
    for (const [at, afterMs] of KILLS_MS.entries()) {
      const name = `deleted-${at}`;
      expect(await ended(await save(name))).to.include({ state: 'done' });
      await drained('host-a', true);
      const making = await make('host-b', 'made', name);
      await drained('host-a', false);
      expect(await ended(making)).to.include({ state: 'done' });
      await api('host-b').done(await api('host-b').delete('/v1/devices/made'));
      const { _id: id } = (await templates().findOne({ name }))!;
      const deletion = api('host-a')
        .delete(`/v1/templates/${name}`)
        .catch(() => undefined); // the kill may cut it off
      await killed('host-a', afterMs / 10);
      const response = await deletion;
      // A request that was cut off before it reached the service is sent again.
      if (response === undefined) await api('host-b').delete(`/v1/templates/${name}`);
      expect((await api('host-b').get(`/v1/templates/${name}`)).status).to.equal(404);
      await until(async () => (await templates().findOne({ _id: id })) === null, 120_000);
      for (const host of NAMES) expect(await filesOf(host, 'snapshots')).not.to.include(id);
    }
  });
});
