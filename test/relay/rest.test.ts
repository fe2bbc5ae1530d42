import { expect } from 'chai';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';
import { AdbClient } from './adb-client.js';
import { RawAdb } from './raw-adb.js';
import { until } from '../../testing/until.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('the ADB relay over REST', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'relayed' });
  });

  after(() => world.close());

  const path = '/v1/devices/relayed/adb';
  const enable = (body: object) => world.api.post(path, body);

  it('is off until it is enabled', async () => {
    const { status, body } = await world.api.get(path);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      adb: { enabled: false, allow: [], sessions: [], refused: {} },
      caller_address: '127.0.0.1',
    });
  });

  it('returns its address and a code, which is not shown again', async () => {
    const { status, body, bytes } = await enable({ allow: ['127.0.0.1', '2001:db8::/32'], lifetime_s: 600 });
    expect(status, bytes.toString()).to.equal(200);
    expect(body.adb).to.deep.include({
      enabled: true,
      host: '127.0.0.1',
      allow: ['127.0.0.1', '2001:db8::/32'],
      sessions: [],
    });
    expect(body.adb.port).to.be.a('number');
    expect(body.adb.code).to.match(/^[0-9a-z]{5}-[0-9a-z]{5}-[0-9a-z]{5}$/);
    expect(Date.parse(body.adb.expires_at as string) - Date.now()).to.be.closeTo(600_000, 10_000);
    const shown = await world.api.get(path);
    expect(shown.body.adb).to.deep.include({ enabled: true, port: body.adb.port });
    expect(shown.body.adb).not.to.have.property('code');
  });

  it('leads the stock adb to the phone, and shows the session', async function () {
    if (!AdbClient.isThere()) {
      skip(this, NEEDS_ADB);
    }
    const { body } = await enable({ allow: ['127.0.0.1'] });
    const adb = await AdbClient.start();
    try {
      const serial = await adb.login(body.adb as { port: number });
      expect((await adb.run('-s', serial, 'shell', 'getprop', 'ro.product.device')).stdout).to.equal('relayed\n');
      expect((await adb.run('-s', serial, 'reboot')).status).to.equal(1);
      const shown = (await world.api.get(path)).body.adb;
      expect(shown.refused).to.deep.equal({ reboot: 1 });
      expect(shown.sessions).to.have.length(1);
      expect(shown.sessions[0]).to.include({ address: '127.0.0.1', logged_in: true });
      expect((await world.api.delete(path)).body.adb.enabled).to.equal(false);
      expect((await adb.run('-s', serial, 'shell', 'id')).status).to.equal(1);
    } finally {
      await adb.close();
    }
  });

  it('refuses an invalid allow-list or lifetime', async () => {
    for (const body of [
      {},
      { allow: [] },
      { allow: ['nowhere'] },
      { allow: ['1.2'] },
      { allow: ['10.0.0.1'], lifetime_s: 604_801 },
    ]) {
      const refused = await enable(body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect(refused.body.error).to.equal('bad_request');
    }
  });

  it('ends when its key may not control the device any more', async () => {
    const panel = await signIn(world);
    await world.api.createPhone({ name: 'another' });
    for (const change of [{ scope: 'read' }, { devices: ['another'] }]) {
      const made = await panel.ask('POST', '/v1/keys', { name: 'adb', scope: 'control', devices: ['relayed'] });
      const { id, key } = made.body.key as { id: string; key: string };
      const { body } = await world.api.as(key).post(path, { allow: ['127.0.0.1'] });
      const client = await RawAdb.loggedIn(body.adb as { port: number });
      expect((await panel.ask('PATCH', `/v1/keys/${id}`, change)).status).to.equal(200);
      await client.closed;
      await until(async () => (await world.api.get(path)).body.adb.enabled === false);
    }
  });

  it('ends when the owner who enabled it signs out', async () => {
    const panel = await signIn(world);
    const { body } = await panel.ask('POST', path, { allow: ['127.0.0.1'] });
    const client = await RawAdb.loggedIn(body.adb as { port: number });
    expect((await panel.ask('DELETE', '/v1/session')).status).to.equal(204);
    await client.closed;
  });

  it('ends with its device, and frees its port', async () => {
    await world.api.createPhone({ name: 'doomed' });
    await world.api.post('/v1/devices/doomed/adb', { allow: ['127.0.0.1'] });
    await world.api.done(await world.api.delete('/v1/devices/doomed'));
    await until(async () => (await world.database.collection('relays').countDocuments({ device: 'doomed' })) === 0);
  });

  it('is hidden with its device, and needs a running phone', async () => {
    expect((await world.api.get('/v1/devices/missing/adb')).status).to.equal(404);
    expect((await world.api.as(undefined).get(path)).status).to.equal(401);
    const { body } = await enable({ allow: ['127.0.0.1'] });
    const client = await RawAdb.loggedIn(body.adb as { port: number });
    await world.api.done(await world.api.post('/v1/devices/relayed/stop'));
    await client.closed;
    const busy = await enable({ allow: ['127.0.0.1'] });
    expect(busy.status).to.equal(409);
    expect(busy.body.message).to.contain('/start');
    expect((await world.api.get(path)).body.adb.enabled).to.equal(true);
    expect((await world.api.delete(path)).status).to.equal(200);
    await until(async () => (await world.api.get(path)).body.adb.enabled === false);
  });
});
