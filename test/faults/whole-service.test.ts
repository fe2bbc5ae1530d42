import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DeviceDocument } from '../../device-service/store/device-document.js';
import { systemClock } from '../../kit/async/clock.js';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../embedded-mongo/embedded-mongo.js';
import { silentLog } from '../../kit/log/log.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { PhoneLink } from '../../phone/link/phone-link.js';
import { until } from '../../testing/until.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { DatabaseProxy } from './database-proxy.js';

/** For how long the database is away at least, ms: longer than a request waits for it. */
const AWAY_MS = 6_000;

describe('all services while their database fails', function () {
  let directory: string;
  let server: EmbeddedMongo;
  let proxy: DatabaseProxy;
  let world: World;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-whole-'));
    server = await startEmbeddedMongo({ directory, log: silentLog });
    proxy = await DatabaseProxy.open(server.url);
    world = await startWorld({
      openDatabase: () => connectMongo({ url: proxy.url, database: 'whole', log: silentLog }),
    });
    await world.api.createPhone({ name: 'one' });
    await world.api.createPhone({ name: 'two' });
  });

  after(async () => {
    await world.close();
    await proxy.close();
    await server.close();
    rmSync(directory, { recursive: true });
  });

  const requests: [string, string, () => Promise<Answer>][] = [
    ['GET', '/v1/devices', () => world.api.get('/v1/devices')],
    ['GET', '/v1/jobs', () => world.api.get('/v1/jobs')],
    ['GET', '/v1/models', () => world.api.get('/v1/models')],
    ['GET', '/v1/devices/one/screenshot', () => world.api.get('/v1/devices/one/screenshot')],
    ['GET', '/v1/devices/one/observe', () => world.api.get('/v1/devices/one/observe')],
  ];

  it('respond with 503, are well after its return, and lose no job', async () => {
    const accepted = await world.api.post('/v1/devices/two/restart');
    expect(accepted.status).to.equal(202);
    await proxy.goAway();
    const away = systemClock.sleep(AWAY_MS);
    try {
      await Promise.all(
        requests.map(async ([method, path, send]) => {
          const { status, body } = await send();
          expect([status, body?.error], `${method} ${path}`).to.deep.equal([503, 'unavailable']);
        }),
      );
      await away;
    } finally {
      await proxy.comeBack();
    }
    await until(async () => (await world.api.get('/v1/devices')).status === 200);
    for (const [, , send] of requests) await until(async () => (await send()).status === 200);
    await world.api.done(accepted);
    expect((await world.api.get('/v1/devices/two/screenshot')).status).to.equal(200);
    const { body } = await world.api.get('/v1/jobs');
    expect(body.jobs.map(({ state }: { state: string }) => state)).to.not.include('failed');
  });

  it('respond though the database leaves one command without a reply, and do a job once', async () => {
    const hung = proxy.order('hang', { name: 'find', collection: 'devices' });
    const { status } = await world.api.get('/v1/devices/one');
    expect([200, 503]).to.include(status);
    await hung.done;
    const update = proxy.order('hang', { name: 'findAndModify', collection: 'devices' });
    const accepted = await world.api.post('/v1/devices/one/restart');
    await update.done;
    const again = accepted.status === 202 ? accepted : await world.api.post('/v1/devices/one/restart');
    await world.api.done(again);
    const { body } = await world.api.get('/v1/jobs?device=one');
    const restarts = body.jobs.filter(({ kind }: { kind: string }) => kind === 'restart');
    expect(restarts.map(({ state }: { state: string }) => state)).to.deep.equal(['done']);
  });

  it("act on one customer's phone while another one's writes settings in a loop", async () => {
    const two = await world.database.collection<DeviceDocument>('devices').findOne({ name: 'two' });
    const { host, port, identity } = two!.endpoint!;
    const link = await PhoneLink.open({
      ...{ host, port, identity, clock: systemClock, timeoutMs: 5_000 },
      connectSocket: (to, at) => connect({ host: to, port: at }),
    });
    const read = () => link.shell('settings get system loop', { timeoutMs: 5_000, maxBytes: 100, doing: 'read' });
    const loop = link
      .shell('i=0; while true; do settings put system loop $i; i=$((i+1)); done', {
        ...{ timeoutMs: 60_000, maxBytes: 1_000, doing: 'write settings' },
      })
      .catch((error: unknown) => error);
    await until(async () => Number((await read()).stdout.toString()) > 0);
    for (let count = 0; count < 5; count++) {
      const { status } = await world.api.post('/v1/devices/one/act', { open_app: { app: 'com.cloudphone.notes' } });
      expect(status).to.equal(200);
    }
    const written = Number((await read()).stdout.toString());
    expect(written).to.be.greaterThan(0);
    link.close();
    expect(await loop).to.be.instanceOf(Error);
  });
});
