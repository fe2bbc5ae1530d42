import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test that is long enough';

describe('two hosts as processes on one database, and kill -9', function () {
  let folder: string;
  let server: EmbeddedMongo;
  let database: MongoConnection;
  let a: Installation;
  let b: Installation | undefined;
  let key: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-hosts-'));
    server = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
    database = await connectMongo({ url: server.url, database: 'hosts', log: silentLog });
    a = await open('host-a');
    key = a.key;
    b = await open('host-b');
    await through(a).createPhone({ name: 'on-a' });
    await through(b).createPhone({ name: 'on-b' });
  });

  after(async () => {
    for (const host of [a, b]) if (host !== undefined) killTree(host.pid);
    await database.close();
    await server.close();
    await removeData(folder);
  });

  function open(hostId: string): Promise<Installation> {
    return startInstallation({
      directory: join(folder, hostId),
      start,
      environment: {
        ...{ MONGODB_URL: server.url, MONGODB_DATABASE: 'hosts', HOST_ID: hostId, MESH_TOKEN },
        ...{ PHONE_HOST: '127.0.0.1', SIMULATED_BOOT_MS: '100', SIMULATED_PROCESSES: '1' },
      },
    });
  }

  const through = ({ baseUrl }: Installation): RestClient => new RestClient(baseUrl.replace(/\/v1$/, ''), key);

  const apk = readFileSync(fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url)));
  const APK = 'application/vnd.android.package-archive';
  /** Folders of uploads that a host has, beside those in which it reads the apps of its catalogue. */
  const uploadsOf = (hostId: string): string[] => {
    const apps = join(folder, hostId, 'apps');
    return existsSync(apps) ? readdirSync(apps).filter((name) => !name.startsWith('catalogue-')) : [];
  };

  it('installs an app that is uploaded through the other host, and leaves no file of it on either', async () => {
    for (const [host, name] of [
      [a, 'on-b'],
      [b!, 'on-a'],
    ] as const) {
      const response = await fetch(`${host.baseUrl}/devices/${name}/apk`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': APK } },
        body: new Uint8Array(apk),
      });
      const { job } = (await response.json()) as { job: { id: string } };
      expect(response.status).to.equal(202);
      const ended = (await through(host).get(`/v1/jobs/${job.id}?wait_s=60`)).body.job;
      expect(ended).to.deep.include({ state: 'done', device: name });
      const { apps } = (await through(host).get(`/v1/devices/${name}/apps`)).body;
      expect(apps.map((app: { package: string }) => app.package)).to.contain(ended.result.package);
      await until(() => [...uploadsOf('host-a'), ...uploadsOf('host-b')].length === 0);
      // The file never was where it was not needed, nor may it come there.
      const refused = await fetch(`${host.baseUrl}/devices/${name}/apk`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': APK } },
        body: 'no app at all',
      });
      expect(refused.status).to.equal(400);
      expect([...uploadsOf('host-a'), ...uploadsOf('host-b')]).to.deep.equal([]);
    }
  });

  it('leaves no file of an upload in whose middle it is killed', async () => {
    const { hostname, port } = new URL(b!.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    socket.write(
      `POST /v1/devices/on-b/apk HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n` +
        `content-type: ${APK}\r\ncontent-length: ${apk.length}\r\n\r\n`,
    );
    socket.write(apk.subarray(0, apk.length / 2));
    await until(() => uploadsOf('host-b').length === 1);
    killTree(b!.pid);
    await closed;
    expect(uploadsOf('host-b')).to.have.length(1);
    b = await open('host-b');
    expect(uploadsOf('host-b')).to.deep.equal([]);
    const { jobs } = (await through(b).get('/v1/jobs?device=on-b&state=running')).body;
    expect(jobs.filter(({ kind }: { kind: string }) => kind === 'install')).to.deep.equal([]);
  });

  it('uses a phone through either, brings it back with its host, and forgets the host that never returns', async () => {
    // The service starts the phone of the killed host again.
    await until(async () => (await through(a).get('/v1/devices/on-b')).body.device.state === 'running');
    for (const host of [a, b!]) {
      for (const name of ['on-a', 'on-b']) {
        const { status } = await through(host).get(`/v1/devices/${name}/screenshot`);
        expect(status, name).to.equal(200);
      }
    }

    killTree(b!.pid);
    const restart = await through(a).post('/v1/devices/on-b/restart');
    expect(restart.status).to.equal(202);
    expect((await through(a).get('/v1/devices/on-a/screenshot')).status).to.equal(200);
    b = await open('host-b');
    await through(a).done(restart);
    expect((await through(a).get('/v1/devices/on-b/screenshot')).status).to.equal(200);

    killTree(b.pid);
    b = undefined;
    // The lease is ended now, as if its 15 s were over.
    await database.database
      .collection<{ _id: string }>('hosts')
      .updateOne({ _id: 'host-b' }, { $set: { leaseUntil: new Date(0) } });
    const transport = connectTo({ url: `http://${a.grpc.device}`, service: 'host a', meshToken: MESH_TOKEN });
    expect((await createClient(AdminService, transport).forgetHost({ id: 'host-b' })).devices).to.equal(1);
    const device = async () => (await through(a).get('/v1/devices/on-b')).body.device;
    await until(async () => (await device()).state === 'failed');
    expect((await device()).problem).to.include({ kind: 'data_lost' });
    await through(a).done(await through(a).delete('/v1/devices/on-b'));
    expect((await through(a).get('/v1/devices/on-a/screenshot')).status).to.equal(200);
  });
});
