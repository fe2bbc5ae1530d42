import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { type Release, releaseBefore } from '../../testing/release-before.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { databaseOf, removeData } from '../installation.js';
import { type ReleasedService, startRelease, THIS_RELEASE } from './installation-of.js';

/** Each service with migrations, with the name under which it records them. */
const MIGRATED = ['device-service', 'relay-service', 'webhook-service'];

interface Entry {
  kind: string;
  at: string;
  device: string;
}

describe('from the release before and back', function () {
  // The first test of a machine builds the release before.
  this.timeout(600_000);
  let old: Release;
  let directory: string;
  let running: ReleasedService | undefined;

  before(async function () {
    const release = await releaseBefore();
    if (typeof release === 'string') skip(this, release);
    old = release;
  });
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'cloudphone-ways-'))));
  afterEach(async () => {
    await running?.service.kill();
    running = undefined;
    await removeData(directory);
  });

  async function begin(release: Release): Promise<ReleasedService> {
    return (running = await startRelease(release, directory, { environment: {} }));
  }

  it('an upgrade after kill -9 finds the phones that went on running, and ends the jobs', async () => {
    const killed = await begin(old);
    await killed.api.createPhone({ name: 'runs' });
    await killed.api.createPhone({ name: 'rests', start: false });
    const { uptime } = (await killed.api.get('/v1/devices/runs')).body.device;
    const body = { name: 'half-made', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' };
    const accepted = [await killed.api.post('/v1/devices', body), await killed.api.post('/v1/devices/rests/start')];
    await killed.service.kill();
    const { api } = await begin(THIS_RELEASE);
    for (const response of accepted) await api.done(response);
    const runs = async () => (await api.get('/v1/devices/runs')).body.device;
    // Where the releases speak other protocols with simulators, the phone is started again.
    await until(async () => (await runs()).state === 'running');
    const device = await runs();
    const charges = async (): Promise<string[]> => {
      const { entries } = (await api.get('/v1/account/ledger?limit=200')).body as { entries: Entry[] };
      return entries.filter(({ kind }) => kind === 'minute').map(({ at, device: name }) => `${name} ${at}`);
    };
    const charged = async (): Promise<number> => new Set((await charges()).map((one) => one.split(' ')[0])).size;
    await until(async () => (await charged()) === 3);
    const all = await charges();
    expect(all).to.deep.equal([...new Set(all)]);
    // Its run goes on.
    expect(device.uptime).to.be.at.least(uptime as number);
    expect((await api.get('/v1/devices/runs/screenshot')).status).to.equal(200);
  });

  it('the release before is refused by a database that a newer one has changed, in one line', async () => {
    await (await begin(old)).service.stop();
    for (const service of MIGRATED) {
      const taken = await inDatabase((done) => [...done, 'a step of a later release'], service);
      const complaint = await begin(old).then(
        () => 'it started',
        (error: unknown) => String(error),
      );
      expect(complaint, service).to.equal(
        `Error: it ended with status 1: The database has the migration "a step of a later release" of ${service}, which this version does not know at that place. Start the version that made it, or a newer one.\n`,
      );
      await inDatabase(() => taken, service);
    }
    expect((await (await begin(old)).api.get('/v1/devices')).status).to.equal(200);
  });

  it('the release before works with the data of this one, as long as that brings no migrations', async () => {
    await (await begin(old)).service.stop();
    const before = await migrations();
    const upgraded = await begin(THIS_RELEASE);
    await upgraded.api.createPhone({ name: 'newer' });
    await upgraded.service.stop();
    const brings = JSON.stringify(await migrations()) !== JSON.stringify(before);
    const outcome = await begin(old).catch(String);
    if (brings) {
      expect(outcome).to.match(/^Error: it ended with status 1: The database has the migration/);
      return;
    }
    const { api } = outcome as ReleasedService;
    await until(async () => (await api.get('/v1/devices/newer')).body.device.state === 'running');
    expect((await api.get('/v1/devices/newer/screenshot')).status).to.equal(200);
  });

  /** Changes the record of a service's migrations while no service runs. Returns it as it was. */
  async function inDatabase(change: (done: string[]) => string[], service: string): Promise<string[]> {
    return withDatabase(async (database) => {
      const collection = database.collection<{ _id: string; done: string[] }>('migrations');
      const { done } = (await collection.findOne({ _id: service }))!;
      await collection.updateOne({ _id: service }, { $set: { done: change(done) } });
      return done;
    });
  }

  function migrations(): Promise<unknown[]> {
    return withDatabase((database) => database.collection('migrations').find().sort({ _id: 1 }).toArray());
  }

  async function withDatabase<T>(use: (database: Db) => Promise<T>): Promise<T> {
    const own = process.env['MONGODB_URL'];
    const mongo =
      own === undefined
        ? await startEmbeddedMongo({ directory: join(directory, 'database'), log: silentLog })
        : undefined;
    const connection = await connectMongo({ url: mongo?.url ?? own!, database: databaseOf(directory), log: silentLog });
    try {
      return await use(connection.database);
    } finally {
      await connection.close();
      await mongo?.close();
    }
  }
});
