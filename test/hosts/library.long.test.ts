import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { LibraryCopyDocument } from '../../device-service/store/library-copies.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { largeApk } from '../../testing/phone/large-apk.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { type Answer, RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test that is long enough';
const PHONES = 6;

describe('the app library of two hosts', function () {
  this.timeout(600_000);
  let folder: string;
  let server: EmbeddedMongo;
  let database: MongoConnection;
  let a: Installation;
  let b: Installation;
  let key: string;
  const onB = Array.from({ length: PHONES }, (_, at) => `b${at}`);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-library-hosts-'));
    server = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
    database = await connectMongo({ url: server.url, database: 'library', log: silentLog });
    a = await open('host-a');
    key = a.key;
    b = await open('host-b');
    // A request prefers its own host, so these phones are there.
    for (const name of onB) await through(b).createPhone({ name });
  });
  after(async () => {
    for (const host of [a, b]) killTree(host.pid);
    await database.close();
    await server.close();
    await removeData(folder);
  });

  const open = (hostId: string): Promise<Installation> =>
    startInstallation({
      directory: join(folder, hostId),
      start,
      environment: {
        ...{ MONGODB_URL: server.url, MONGODB_DATABASE: 'library', HOST_ID: hostId, MESH_TOKEN },
        ...{ PHONE_HOST: '127.0.0.1', SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1' },
      },
    });
  const through = ({ baseUrl }: Installation): RestClient => new RestClient(baseUrl.replace(/\/v1$/, ''), key);
  async function put(host: Installation, name: string, apk: Buffer): Promise<string> {
    const response = await fetch(`${host.baseUrl}/library/apps/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(apk),
    });
    const { app } = (await response.json()) as { app: { sha256: string } };
    expect(response.status).to.equal(200);
    return app.sha256;
  }
  const filesOf = (hostId: string): string[] => {
    const library = join(folder, hostId, 'apps/library');
    return existsSync(library) ? readdirSync(library) : [];
  };
  const copiesOf = async (sha256: string): Promise<string[]> =>
    (await database.database.collection<LibraryCopyDocument>('library_copies').find({ sha256 }).toArray())
      .map(({ hostId }) => hostId)
      .sort();
  const install = (name: string, app: string): Promise<Answer> => through(a).post(`/v1/devices/${name}/apps`, { app });
  async function jobOf(accepted: Answer, host = a): Promise<Answer['body']> {
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    return (await through(host).get(`/v1/jobs/${accepted.body.job.id}?wait_s=60`)).body.job;
  }

  it('has an app at the host that received it, and fetches it for installs at the other one', async () => {
    const sha256 = await put(a, 'shop', await largeApk(20));
    expect([filesOf('host-a'), filesOf('host-b')]).to.deep.equal([[sha256], []]);
    const jobs = await Promise.all(onB.map(async (name) => jobOf(await install(name, 'my/shop'))));
    for (const job of jobs) expect(job, JSON.stringify(job)).to.include({ kind: 'install', state: 'done' });
    expect([filesOf('host-a'), filesOf('host-b')]).to.deep.equal([[sha256], [sha256]]);
    expect(await copiesOf(sha256)).to.deep.equal(['host-a', 'host-b']);
    // The list and the quota are the account's, whichever host is asked.
    expect((await through(b).get('/v1/library/apps')).body.apps).to.have.length(1);
  });

  it('takes a copy of another host in place of one that was lost', async () => {
    const [sha256 = ''] = filesOf('host-a');
    rmSync(join(folder, 'host-b/apps/library', sha256));
    const [name = ''] = onB;
    expect(await jobOf(await install(name, 'my/shop'))).to.include({ state: 'done' });
    expect(filesOf('host-b')).to.deep.equal([sha256]);
  });

  it('makes a phone with an app that is at another host', async () => {
    const sha256 = await put(a, 'made', await largeApk(3));
    const accepted = await through(b).post('/v1/devices', {
      ...{ name: 'made', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' },
      apps: ['my/made'],
    });
    const job = await jobOf(accepted, b);
    expect(job, JSON.stringify(job)).to.include({ kind: 'create', state: 'done' });
    expect(await copiesOf(sha256)).to.include('host-b');
  });

  it('fails an install clearly while the only host with the file is away, and does it once that host is back', async () => {
    await put(a, 'away', await largeApk(2));
    killTree(a.pid);
    await a.kill();
    const [name = ''] = onB;
    const post = (): Promise<Answer> => through(b).post(`/v1/devices/${name}/apps`, { app: 'my/away' });
    const failed = await jobOf(await post(), b);
    expect(failed).to.include({ state: 'failed' });
    expect(failed.error).to.include({ error: 'unavailable' });
    expect(failed.error.message).to.contain('"my/away" is on another host, which cannot be reached just now');
    expect((await through(b).get(`/v1/devices/${name}`)).body.device).to.include({ state: 'running' });
    a = await open('host-a');
    expect(await jobOf(await post(), b)).to.include({ state: 'done' });
  });

  it('ends an install once when the host that sends the file, or the one that gets it, is killed meanwhile', async () => {
    const [name = ''] = onB;
    for (const [victim, words] of [
      ['host-a', 'which cannot be reached just now'],
      ['host-b', 'stopped running before the install was done'],
    ] as const) {
      await put(a, 'killed', await largeApk(60));
      const other = victim === 'host-a' ? b : a;
      const post = (): Promise<Answer> => through(other).post(`/v1/devices/${name}/apps`, { app: 'my/killed' });
      const accepted = await post();
      const killed = victim === 'host-a' ? a : b;
      killTree(killed.pid);
      await killed.kill();
      if (victim === 'host-a') a = await open('host-a');
      else b = await open('host-b');
      const job = await jobOf(accepted, other);
      if (job.state !== 'done') expect(job.error.message).to.contain(words);
      let again = await post();
      await until(async () => again.status === 202 || (again = await post()).status === 202);
      expect(await jobOf(again, other)).to.include({ state: 'done' });
      const left = readdirSync(join(folder, 'host-b/apps')).filter((one) => !/^(library|catalogue-.*)$/.test(one));
      expect(left).to.deep.equal([]);
    }
  });
});
