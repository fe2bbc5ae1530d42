import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../kit/embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log.js';
import { connectMongo, type MongoConnection } from '../../kit/mongo.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test, long enough';

describe('two hosts as processes on one database, and kill -9', function () {
  this.timeout(120_000);
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

  it('uses a phone through either, brings it back with its host, and forgets the host that never returns', async () => {
    await through(a).createPhone({ name: 'on-a' });
    await through(b!).createPhone({ name: 'on-b' });
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
    // As after the 15 s of its lease.
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
