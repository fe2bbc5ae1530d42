import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { killTree } from '../../testing/process-tree.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const MESH_TOKEN = 'a credential of this test that is long enough';
const PHONES = 20;
/** How often a host is killed. `MOVE_KILLS=50` takes 5 to 15 minutes. */
const KILLS = Number(process.env['MOVE_KILLS'] ?? 6);
const NAMES = ['host-a', 'host-b'] as const;
type Name = (typeof NAMES)[number];

describe('hosts that are emptied, and kill -9 at random moments', function () {
  let folder: string;
  let server: EmbeddedMongo;
  let database: MongoConnection;
  let key: string;
  const hosts = new Map<Name, Installation>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-moves-'));
    server = await startEmbeddedMongo({ directory: join(folder, 'database'), log: silentLog });
    database = await connectMongo({ url: server.url, database: 'moves', log: silentLog });
    for (const name of NAMES) await open(name);
    key = hosts.get('host-a')!.key;
  });

  after(async () => {
    for (const { pid } of hosts.values()) killTree(pid);
    await database.close();
    await server.close();
    await removeData(folder);
  });

  async function open(name: Name): Promise<void> {
    const opened = await startInstallation({
      directory: join(folder, name),
      start,
      environment: {
        ...{ MONGODB_URL: server.url, MONGODB_DATABASE: 'moves', HOST_ID: name, MESH_TOKEN, LOG_LEVEL: 'error' },
        ...{ PHONE_HOST: '127.0.0.1', SIMULATED_BOOT_MS: '50', SIMULATED_PROCESSES: '1', QUOTA_DEVICES: '0' },
      },
    });
    hosts.set(name, opened);
  }

  const rest = (): RestClient => new RestClient(hosts.get('host-a')!.baseUrl.replace(/\/v1$/, ''), key);
  const admin = (name: Name) =>
    createClient(
      AdminService,
      connectTo({ url: `http://${hosts.get(name)!.grpc.device}`, service: name, meshToken: MESH_TOKEN }),
    );
  const devices = (): Promise<DeviceDocument[]> =>
    database.database.collection<DeviceDocument>('devices').find().toArray();
  const phonesOf = (name: Name): string[] => {
    try {
      return readdirSync(join(folder, name, 'simulator', 'phones')).sort();
    } catch {
      return [];
    }
  };
  const arrivingAt = (name: Name): string[] => {
    try {
      return readdirSync(join(folder, name, 'simulator', 'arriving'));
    } catch {
      return [];
    }
  };
  const content = (device: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${hosts.get('host-a')!.baseUrl}/devices/${device}/files/content?path=/sdcard/mark.txt`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
    });

  it(`moves ${PHONES} phones while hosts are killed ${KILLS} times: each phone is whole, at one host`, async function () {
    this.timeout(1_800_000);
    const names = Array.from({ length: PHONES }, (_, at) => `phone-${at}`);
    for (const [at, name] of names.entries()) {
      await rest().createPhone({ name });
      expect((await content(name, { method: 'PUT', body: `the data of ${name}` })).status).to.be.within(200, 204);
      // Half of the phones are off, and the other half is stopped for the move and started again.
      if (at % 2 === 0) await rest().done(await rest().post(`/v1/devices/${name}/stop`));
    }

    let from: Name = 'host-a';
    let drains = 0;
    let midway = 0;
    const other = (name: Name): Name => (name === 'host-a' ? 'host-b' : 'host-a');
    const drain = async (): Promise<void> => {
      await admin(from).drainHost({ id: other(from), undo: true });
      await admin(from).drainHost({ id: from, move: true, now: true });
      drains++;
    };
    const isEmpty = async (): Promise<boolean> => (await devices()).every(({ hostId }) => hostId !== from);
    await drain();
    for (let kills = 0; kills < KILLS; kills++) {
      if (await isEmpty()) {
        from = other(from);
        await drain();
      }
      const isBegun = async (): Promise<boolean> =>
        (await devices()).some(({ job }) => job?.kind === 'move') || (await isEmpty());
      await until(isBegun).catch(async (error: unknown) => {
        const { hosts: listed } = await admin(from).listHosts({});
        const stuck = (await devices()).filter(({ hostId }) => hostId === from);
        throw new Error(
          `${String(error)}: ${JSON.stringify({ stuck, problems: listed.map(({ problems }) => problems) })}`,
        );
      });
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 700));
      const victim = NAMES[Math.floor(Math.random() * 2)]!;
      killTree(hosts.get(victim)!.pid);
      const found = await devices();
      if (found.some(({ job }) => job?.kind === 'move')) midway++;
      for (const { _id, hostId, job } of found) {
        const isThere = phonesOf(hostId as Name).includes(_id);
        const isArriving = job?.move?.arrived === true && arrivingAt(hostId as Name).includes(job.id);
        expect(isThere || isArriving, `${_id} at its host ${hostId}, after kill ${kills}`).to.equal(true);
      }
      await open(victim);
    }
    // The last drain ends. A device whose move failed is tried again at once by a new process.
    await until(async () => {
      const found = await devices();
      return found.every(({ hostId, job, leftAt = [] }) => hostId !== from && job === undefined && leftAt.length === 0);
    }, 600_000);
    await until(() => arrivingAt('host-a').length + arrivingAt('host-b').length === 0);

    const ended = await devices();
    expect(ended).to.have.length(PHONES);
    expect(phonesOf(from)).to.deep.equal([]);
    expect(phonesOf(other(from))).to.deep.equal(ended.map(({ _id }) => _id).sort());
    for (const [at, name] of names.entries()) {
      const device = ended.find((one) => one.name === name)!;
      expect(device, name).to.include(at % 2 === 0 ? { state: 'stopped', wanted: 'stopped' } : { wanted: 'running' });
      if (at % 2 === 0) await rest().done(await rest().post(`/v1/devices/${name}/start`));
      await until(async () => (await rest().get(`/v1/devices/${name}`)).body.device.state === 'running');
      expect(await (await content(name)).text()).to.equal(`the data of ${name}`);
    }
    console.log(`      ${drains} drains, ${midway} of ${KILLS} kills in the middle of a move`);
  });
});
