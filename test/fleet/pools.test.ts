import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { awayFromEnd, DAY_MS } from '../../testing/away-from-end.js';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn, signUp } from '../access/people.js';
import type { Answer, RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

describe('pools', () => {
  let world: World;
  let owner: PanelClient;
  let ci: RestClient;

  before(async () => {
    world = await startWorld({ quotas: { devices: 8, storageBytes: 0 } });
    owner = await signIn(world);
    ci = world.api.as(await owner.createKey({ name: 'ci' }));
  });
  after(() => world.close());
  afterEach(async () => {
    for (const { id } of (await owner.ask('GET', '/v1/leases')).body.leases)
      await owner.ask('DELETE', `/v1/leases/${id}`);
    for (const { name } of (await owner.ask('GET', '/v1/pools')).body.pools)
      await owner.ask('DELETE', `/v1/pools/${name}`);
    await until(async () => (await devices()).length === 0);
  });

  interface Listed {
    name: string;
    job?: string;
    pool?: string;
    state: string;
  }
  const devices = async (): Promise<Listed[]> => (await owner.ask('GET', '/v1/devices')).body.devices;
  const put = (body: object, name = 'ci'): Promise<Answer> => owner.ask('PUT', `/v1/pools/${name}`, body);
  const pool = async (name = 'ci') => (await owner.ask('GET', `/v1/pools/${name}`)).body.pool;
  const ready = (count: number) => until(async () => (await pool()).phones.ready === count);
  const lease = (body: object = {}): Promise<Answer> => ci.post('/v1/leases', { pool: 'ci', ...body });
  const model = { model: 'phone-720p', ready: 1, most: 2 };

  it('have their phones ready, give one to a lease, make another one, and delete the used one', async () => {
    // The minutes of a phone are counted by day.
    await awayFromEnd(DAY_MS, 120_000);
    const made = await put({ ...model, labels: { team: 'qa' } });
    expect(made.status).to.equal(200);
    expect(made.body.pool.warm.price_per_hour).to.equal('0.24');
    await ready(1);
    const leased = await lease();
    expect(leased.status).to.equal(201);
    const { name, state, pool: of, labels } = leased.body.device;
    expect([state, of, labels.team]).to.deep.equal(['running', 'ci', 'qa']);
    expect(name).to.match(/^ci-[0-9a-z]{6}$/);
    expect(leased.body.lease).to.include({ pool: 'ci', at_end: 'delete' });
    expect((await ci.get(`/v1/devices/${name}/screenshot`)).status).to.equal(200);
    await ready(1);
    const { phones, warm } = await pool();
    expect(phones).to.deep.equal({ ready: 1, leased: 1, starting: 0 });
    expect(warm.minutes_today).to.be.at.least(1);
    await ci.delete(`/v1/leases/${leased.body.lease.id}`);
    await until(async () => (await devices()).length === 1);
    expect((await devices()).map((device) => device.name)).to.not.include(name);
  });

  it('let nobody use or delete a free phone', async () => {
    await put(model);
    await ready(1);
    const [phone] = await devices();
    for (const response of [
      await ci.delete(`/v1/devices/${phone!.name}`),
      await ci.post(`/v1/devices/${phone!.name}/stop`),
      await ci.post('/v1/leases', { device: phone!.name }),
      await ci.post(`/v1/devices/${phone!.name}/input`, { events: [{ key: { name: 'home' } }] }),
    ]) {
      expect(response.status).to.equal(409);
      expect(response.body.message)
        .to.contain('kept ready by the pool "ci"')
        .and.to.contain('POST /v1/leases {"pool": "ci"}');
    }
  });

  it('are served in the order of the calls, also when they are empty', async () => {
    await put({ ...model, ready: 1, most: 1 });
    const taken = await Promise.all(
      [1, 2, 3].map(async () => {
        const { body } = await lease({ wait_s: 60 });
        await ci.delete(`/v1/leases/${body.lease.id}`);
        return body.device.name as string;
      }),
    );
    expect(new Set(taken).size).to.equal(3);
  });

  it('take phones back to their template, with their apps, for the next lease', async () => {
    await world.api.createPhone({ name: 'source' });
    const saved = (await ci.post('/v1/devices/source/snapshots', {})).body;
    await until(async () => (await ci.get(`/v1/jobs/${saved.job.id}`)).body.job.state === 'done');
    const template = await ci.post('/v1/templates', { snapshot: saved.snapshot.id, name: 'golden' });
    await world.api.done(template);
    const apk = await readFile(new URL('../../../phone/apk/fixtures/fixture-v1.apk', import.meta.url));
    expect((await ci.ask('PUT', '/v1/library/apps/shop', new Uint8Array(apk))).status).to.equal(200);
    await world.api.done(await ci.delete('/v1/devices/source'));
    await put({ template: 'golden', apps: ['my/shop'], ready: 1, most: 1 });
    await ready(1);
    const first = (await lease({ at_end: 'restore' })).body;
    const { name } = first.device;
    const apps = async () =>
      (await ci.get(`/v1/devices/${name}/apps`)).body.apps.map((app: { package: string }) => app.package);
    expect(await apps()).to.include('com.example.fixture');
    await world.api.done(await ci.delete(`/v1/devices/${name}/apps/com.example.fixture`));
    await ci.ask('PUT', `/v1/devices/${name}/files/content?path=/sdcard/left.txt`, new Uint8Array([1]));
    await ci.delete(`/v1/leases/${first.lease.id}`);
    const second = (await lease({ wait_s: 60, at_end: 'restore' })).body;
    expect(second.device.name).to.equal(name);
    expect(await apps()).to.include('com.example.fixture');
    expect((await ci.get(`/v1/devices/${name}/files/content?path=/sdcard/left.txt`)).status).to.equal(404);
    // The next holder gets no phone with the history of this one.
    const { _id: phoneId } = (await world.database.collection('devices').findOne({ name }))!;
    const crashes = world.database.collection<{ _id: string; phoneId: string; slot: string }>('crashes');
    await crashes.insertOne({ _id: 'crash_1', phoneId: String(phoneId), slot: 'a process' });
    await ci.delete(`/v1/leases/${second.lease.id}`);
    const third = (await lease({ wait_s: 60 })).body;
    expect(third.device.name).not.to.equal(name);
    for (const path of ['/v1/templates/golden', '/v1/library/apps/shop']) {
      const refused = await ci.delete(path);
      expect([refused.status, refused.body.error], path).to.deep.equal([409, 'busy']);
      expect(refused.body.message, path).to.contain('ci');
    }
    await owner.ask('DELETE', '/v1/pools/ci');
    for (const path of ['/v1/templates/golden', '/v1/library/apps/shop']) {
      await until(async () => (await ci.delete(path)).status === 204);
    }
  });

  it('delete a phone at once that would be one too many when it is restored', async () => {
    await world.api.createPhone({ name: 'source' });
    const saved = (await ci.post('/v1/devices/source/snapshots', {})).body;
    await until(async () => (await ci.get(`/v1/jobs/${saved.job.id}`)).body.job.state === 'done');
    await world.api.done(await ci.post('/v1/templates', { snapshot: saved.snapshot.id, name: 'silver' }));
    await world.api.done(await ci.delete('/v1/devices/source'));
    await put({ template: 'silver', ready: 1, most: 3 });
    await ready(1);
    const { device, lease: held } = (await lease({ at_end: 'restore' })).body;
    await ready(1);
    await ci.delete(`/v1/leases/${held.id}`);
    await until(async () => (await ci.get(`/v1/devices/${device.name}`)).status === 404);
    const { jobs } = (await ci.get('/v1/jobs?limit=200')).body;
    const kinds = jobs.filter((job: { device: string }) => job.device === device.name).map((job: { kind: string }) => job.kind); // prettier-ignore
    expect(kinds).to.include('delete').and.not.to.include('restore');
    await owner.ask('DELETE', '/v1/pools/ci');
    await until(async () => (await ci.delete('/v1/templates/silver')).status === 204);
  });

  it('replace their phones one by one when they are changed', async () => {
    // The minutes of a phone are counted by day.
    await awayFromEnd(DAY_MS, 120_000);
    await put({ ...model, ready: 2, most: 4 });
    await ready(2);
    const before = new Set((await devices()).map(({ name }) => name));
    await put({ ...model, ready: 2, most: 4, labels: { ring: 'new' } });
    let least = 2;
    await until(async () => {
      const now = await pool();
      least = Math.min(least, now.phones.ready);
      const all = await devices();
      return now.phones.ready === 2 && all.length === 2 && all.every(({ name }) => !before.has(name));
    });
    expect(least).to.equal(2);
    // The minutes of those that nobody leased count: at least the one in which each was ready.
    expect((await pool()).warm.minutes_today).to.be.at.least(4);
  });

  it('report what keeps them from their number, and try again', async () => {
    await put({ ...model, ready: 10, most: 20 });
    await until(async () => (await pool()).problem !== undefined);
    expect((await pool()).problem).to.include({ kind: 'forbidden' });
    expect((await pool()).problem.message).to.contain('quota');
    const health = (await ci.get('/v1/health')).body;
    expect(health.status).to.equal('problem');
    expect(health.pools.map((one: { pool: string }) => one.pool)).to.deep.equal(['ci']);
    await ready(8);
    await put({ ...model, ready: 2, most: 20 });
    await until(async () => (await pool()).problem === undefined && (await devices()).length === 2);
    expect((await ci.get('/v1/health')).body.pools).to.deep.equal([]);
  });

  it('are seen by their maker and by keys of all devices', async () => {
    await world.api.createPhone({ name: 'listed', start: false });
    const narrow = world.api.as(await owner.createKey({ devices: ['listed'] }));
    await put(model);
    expect((await narrow.get('/v1/pools')).body.pools).to.deep.equal([]);
    expect((await narrow.get('/v1/pools/ci')).status).to.equal(403);
    expect((await narrow.post('/v1/leases', { pool: 'ci' })).status).to.equal(403);
    expect((await narrow.ask('PUT', '/v1/pools/ci', model)).status).to.equal(403);
    expect((await narrow.ask('PUT', '/v1/pools/own', { ...model, ready: 1 })).status).to.equal(200);
    const leased = await narrow.post('/v1/leases', { pool: 'own', wait_s: 60 });
    expect(leased.status).to.equal(201);
    const { name } = leased.body.device;
    expect((await narrow.get(`/v1/devices/${name}`)).status).to.equal(200);
    const stranger = await signUp(world, 'pools@example.com');
    expect((await stranger.ask('GET', '/v1/pools/ci')).status).to.equal(404);
    expect((await stranger.ask('DELETE', '/v1/pools/ci')).status).to.equal(404);
    await world.api.done(await world.api.delete('/v1/devices/listed'));
  });

  it('refuse what can never be, with what is on offer', async () => {
    const bad: [object, string][] = [
      [{ ready: 1 }, 'exactly one of template and model'],
      [{ model: 'phone-720p', template: 'golden', ready: 1 }, 'exactly one of template and model'],
      [{ model: 'none', ready: 1 }, 'GET /v1/models'],
      [{ template: 'none', ready: 1 }, 'template'],
      [{ ...model, android: '3' }, 'android'],
      [{ ...model, network: { type: 'mobile', country: 'zz' } }, 'network'],
      [{ ...model, apps: ['my/none'] }, 'my/none'],
      [{ ...model, apps: ['none'] }, 'none'],
      [{ ...model, ready: 3, most: 2 }, 'most'],
      [{ ...model, ready: 51 }, 'ready'],
      [{ ...model, most: 201 }, 'most'],
    ];
    for (const [body, text] of bad) {
      const response = await put(body);
      expect(response.status, JSON.stringify(body)).to.equal(400);
      expect(response.body.message, JSON.stringify(body)).to.contain(text);
    }
    expect((await put(model, 'Not-a-name')).status).to.equal(400);
    expect((await lease()).status).to.equal(404);
    await put(model);
    const refused = await lease({ at_end: 'restore' });
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
  });
});
