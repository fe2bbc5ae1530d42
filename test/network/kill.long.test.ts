import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Transport } from '@connectrpc/connect';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import type { JobDocument } from '../../device-service/store/jobs.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { databaseAddress } from '../../testing/database-address.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo, type MongoConnection } from '../../kit/db/mongo.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { KeyScope } from '../../proto/gen/cloudphone/access/v1/key_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { NetworkService } from '../../proto/gen/cloudphone/device/v1/network_service_pb.js';
import { RealProxy } from '../../testing/real-proxy.js';
import { Site } from '../../testing/site.js';
import { until } from '../../testing/until.js';
import { DatabaseGate } from '../crash/database-gate.js';
import { DeviceProcess, type Phones, phonesIn } from '../crash/device-process.js';
import { Killer, type KillPoint } from '../crash/kill-points.js';
import { shellOf } from './phone-shell.js';

const MESH_TOKEN = 'a credential of this test that is long enough';
const EMAIL = 'owner@example.com';
/** How long a start, or a job with its follow-up, may take on a busy machine, ms. */
const PATIENCE_MS = 60_000;

/** The service is killed when somebody comes through a proxy for the nth time: the host first, to try it, then the phone. */
interface Passage {
  through: number;
}

describe('kill -9 in the middle of a change of the exit', function () {
  this.timeout(900_000);
  let directory: string;
  let mongo: EmbeddedMongo;
  let connection: MongoConnection;
  let gate: DatabaseGate;
  let device: DeviceProcess;
  let phones: Phones;
  let toDevice: Transport;
  let site: Site;
  let headers: { authorization: string };
  /** By country. */
  const proxies = new Map<'de' | 'fr', RealProxy>();
  const addresses = { de: '127.0.6.1', fr: '127.0.6.2' };
  const killer = new Killer(() => device.kill());
  let onPassage: () => void = () => undefined;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-exit-kill-'));
    site = await Site.start();
    for (const country of ['de', 'fr'] as const) {
      const addressOf = (): string => {
        onPassage();
        return addresses[country];
      };
      proxies.set(country, await RealProxy.start({ scheme: 'socks5', addressOf }));
    }
    const exits = [...proxies].map(([country, proxy]) => ({
      ...{ name: country, type: 'mobile', country, timezones: [country === 'de' ? 'Europe/Berlin' : 'Europe/Paris'] },
      proxy: proxy.url(),
    }));
    writeFileSync(join(directory, 'exits.json'), JSON.stringify({ exits }));
    mongo = await startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog });
    connection = await connectMongo({ url: mongo.url, database: 'killed', log: silentLog });
    gate = await DatabaseGate.open(databaseAddress(mongo.url), killer);
    await begin();
    phones = phonesIn(directory);
    const admin = createClient(AdminService, toDevice);
    await admin.createAccount({ email: EMAIL, password: 'correct horse' });
    await admin.creditAccount({ email: EMAIL, amount: '100.00' });
    const key = { email: EMAIL, name: 'k', scope: KeyScope.CONTROL, devices: ['*'] };
    headers = { authorization: `Bearer ${(await admin.createAccountKey(key)).key?.key ?? ''}` };
    const network = { type: ExitType.MOBILE, country: 'de' };
    const wanted = { name: 'traveller', model: 'phone-720p', plan: Plan.MINUTE, network };
    await createClient(DeviceService, toDevice).createDevice(wanted, { headers });
    await until(async () => (await stored()).state === 'running' && (await stored()).job === undefined, PATIENCE_MS);
    await until(async () => (await stored()).exit.address === addresses.de, PATIENCE_MS);
  });

  after(async () => {
    await device.stop();
    await phones.quit();
    gate.close();
    await connection.close();
    await mongo.close();
    for (const proxy of proxies.values()) await proxy.close();
    await site.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    device = DeviceProcess.start({
      DATA_DIR: directory,
      MONGODB_URL: gate.url,
      MONGODB_DATABASE: 'killed',
      MESH_TOKEN,
      EXITS_FILE: join(directory, 'exits.json'),
      ADDRESS_URL: `${site.url}/ip`,
      ALLOW_PRIVATE_TARGETS: 'on',
      SIMULATED_BOOT_MS: '100',
    });
    const url = `http://127.0.0.1:${String(await device.port())}`;
    toDevice = connectTo({ url, service: 'the device service', meshToken: MESH_TOKEN });
  }

  async function stored(): Promise<DeviceDocument> {
    const found = await connection.database.collection<DeviceDocument>('devices').findOne({ name: 'traveller' });
    if (found === null) throw new Error('the device is gone');
    return found;
  }

  const filedJob = (_id: string): Promise<JobDocument | null> =>
    connection.database.collection<JobDocument>('jobs').findOne({ _id });
  const fetchAddress = (): Promise<string> => shellOf(connection.database, 'traveller', `curl -sS ${site.url}/ip`);

  function arm(at: KillPoint | Passage): Promise<void> {
    if (typeof at === 'string') return killer.arm(at, 1);
    let passages = 0;
    return new Promise((hit) => {
      onPassage = () => {
        if (++passages !== at.through) return;
        onPassage = () => undefined;
        void device.kill().then(hit);
      };
    });
  }

  for (const [what, at, left] of [
    ['when the job was accepted', 'accept, done', 'old, at work'],
    ['while the host tries the new exit', { through: 1 }, 'old, at work'],
    ['while the phone looks through the new exit', { through: 2 }, 'old, at work'],
    ["before the job's end is written", 'finish, asked', 'old, at work'],
    ["when the job's end is written, with the new exit", 'finish, done', 'new, to be filed'],
    ['before the job is filed', 'file, asked', 'new, to be filed'],
    ['when the job is filed', 'file, done', 'new, to be filed'],
  ] as const) {
    it(`${what} ends in the new exit, by one job`, async () => {
      const before = (await stored()).exit.country as 'de' | 'fr';
      const after = before === 'de' ? 'fr' : 'de';
      expect(await fetchAddress()).to.equal(addresses[before]);
      const hit = arm(at);
      const request = { name: 'traveller', type: ExitType.MOBILE, country: after };
      // Its response may be lost.
      const asked = createClient(NetworkService, toDevice)
        .changeNetwork(request, { headers })
        .catch(() => undefined);
      await hit;
      await asked;
      const killed = await stored();
      const jobId = killed.job?.id ?? killed.finished?.[0]?.id ?? '';
      expect(jobId).to.match(/^job_/);
      if (left === 'old, at work') {
        expect([killed.exit.country, killed.exit.address]).to.deep.equal([before, addresses[before]]);
        expect(killed.job).to.include({ kind: 'network' });
      } else {
        expect([killed.exit.country, killed.exit.address]).to.deep.equal([after, addresses[after]]);
        expect(killed.job).to.equal(undefined);
        expect(killed.finished?.map(({ id }) => id)).to.deep.equal([jobId]);
      }
      const visits = site.visits.length;
      expect(await fetchAddress(), 'without the service the phone has no network').to.contain('curl: (');
      expect(site.visits).to.have.length(visits);

      await begin();
      await until(async () => (await stored()).finished?.length === 0 && (await filedJob(jobId)) !== null, PATIENCE_MS);
      const job = await filedJob(jobId);
      expect(job?.outcome).to.deep.include({ state: 'done', result: { address: addresses[after] } });
      const now = await stored();
      expect(now.job).to.equal(undefined);
      expect([now.exit.country, now.exit.address]).to.deep.equal([after, addresses[after]]);
      const passed = proxies.get(before)?.passed.length;
      expect(await fetchAddress()).to.equal(addresses[after]);
      expect(proxies.get(before)?.passed.length, 'nothing goes by the old exit any more').to.equal(passed);
    });
  }
});
