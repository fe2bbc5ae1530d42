import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import { TEST_PHONES } from '../image-based-phones.js';
import { shellOf } from '../network/phone-shell.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const BERLIN = { latitude: 52.520008, longitude: 13.404954 };

describe('conditions of a phone over REST', () => {
  let world: World;

  before(async function () {
    if (TEST_PHONES.driver !== 'simulated')
      skip(this, 'expects what the shell of simulated phones shows of conditions');
    world = await startWorld();
    await world.api.createPhone({ name: 'on' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(async () => {
    if (TEST_PHONES.driver === 'simulated') await world.close();
  });

  const change = (body: unknown, name = 'on'): Promise<Answer> =>
    world.api.ask('PATCH', `/v1/devices/${name}/conditions`, body);
  const conditionsOf = async (name = 'on'): Promise<unknown> =>
    (await world.api.get(`/v1/devices/${name}`)).body.device.conditions;
  const shell = (command: string, name = 'on'): Promise<string> => shellOf(world.database, name, command);
  const clear = (name = 'on') => change({ location: {}, battery: {}, network: {} }, name);
  afterEach(async () => {
    for (const name of ['on', 'off']) await clear(name);
  });

  it('are the phone’s own at first, are set member by member, and taken back by empty ones', async () => {
    expect(await conditionsOf()).to.equal(undefined);
    expect(await shell('dumpsys battery'))
      .to.contain('AC powered: true')
      .and.contain('level: 100');
    const set = await change({ location: BERLIN, battery: { level: 15 } });
    const both = { location: BERLIN, battery: { level: 15, charging: false } };
    expect([set.status, set.body.device.conditions]).to.deep.equal([200, both]);
    expect(await shell('dumpsys battery')).to.contain('AC powered: false').and.contain('status: 3\n').and.contain('level: 15\n'); // prettier-ignore
    expect(await shell('dumpsys location')).to.contain('Location[gps 52.520008,13.404954 ');
    const more = await change({ network: { latency_ms: 1, kbps: 1_000_000 }, location: { ...BERLIN, altitude: 34 } });
    expect(more.body.device.conditions).to.deep.equal({
      ...both,
      location: { ...BERLIN, altitude: 34 },
      network: { latency_ms: 1, loss: 0, kbps: 1_000_000 },
    });
    expect((await change({})).body.device.conditions).to.deep.equal(more.body.device.conditions);
    expect((await change({ battery: {}, network: {} })).body.device.conditions).to.deep.equal({
      location: { ...BERLIN, altitude: 34 },
    });
    expect(await shell('dumpsys battery')).to.contain('level: 100\n');
    expect((await change({ location: {} })).body.device).not.to.have.property('conditions');
    expect(await shell('dumpsys location')).to.contain('last location=null');
  });

  it('are set as a whole: what a member does not name is not left from before', async () => {
    await change({ battery: { level: 50, charging: true }, location: { ...BERLIN, accuracy: 3 } });
    await change({ battery: { level: 50 }, location: BERLIN });
    expect(await conditionsOf()).to.deep.equal({ battery: { level: 50, charging: false }, location: BERLIN });
  });

  it('of a phone that is off are recorded, and are there once it runs; a restart keeps them', async () => {
    const body = { battery: { level: 7, charging: true }, location: { latitude: -90, longitude: 180 } };
    expect((await change(body, 'off')).body.device).to.deep.include({ state: 'stopped', conditions: body });
    const job = async (what: string) => world.api.done(await world.api.post(`/v1/devices/off/${what}`));
    for (const what of ['start', 'restart']) {
      await job(what);
      expect(await shell('dumpsys battery', 'off'), what).to.contain('level: 7\n');
      expect(await shell('dumpsys location', 'off'), what).to.contain('gps -90.000000,180.000000 ');
    }
    await job('stop');
    expect(await conditionsOf('off')).to.deep.equal(body);
    await clear('off');
    await job('start');
    expect(await shell('dumpsys battery', 'off')).to.contain('level: 100\n');
    await job('stop');
  });

  it('show on the phone’s screen', async () => {
    await change({ location: BERLIN, battery: { level: 42 } });
    await shell('am start -a android.settings.LOCATION_SOURCE_SETTINGS');
    const { body } = await world.api.get('/v1/devices/on/observe?screenshot=none');
    const texts = JSON.stringify(body.observation.elements);
    for (const text of ['52.520008', '13.404954', '42 %', 'Not connected']) expect(texts).to.contain(text);
  });

  it('hold for the phone’s own requests', async () => {
    await change({ network: { loss: 1 } });
    expect(await shell('curl -s -S -m 5 http://address.cloudphone.test/ 2>&1')).to.contain('the request got lost');
  });

  for (const [body, text] of [
    [{ location: { latitude: 90.1, longitude: 0 } }, 'location.latitude'],
    [{ location: { latitude: -90.1, longitude: 0 } }, 'location.latitude'],
    [{ location: { latitude: 0, longitude: 180.1 } }, 'location.longitude'],
    [{ location: { latitude: 0, longitude: -1_800 } }, 'location.longitude'],
    [{ location: { latitude: 0 } }, 'must have latitude and longitude'],
    [{ location: { longitude: 0 } }, 'must have latitude and longitude'],
    [{ location: { altitude: 0 } }, 'must have latitude and longitude'],
    [{ location: { ...BERLIN, altitude: 20_001 } }, 'location.altitude'],
    [{ location: { ...BERLIN, altitude: -501 } }, 'location.altitude'],
    [{ location: { ...BERLIN, accuracy: -1 } }, 'location.accuracy'],
    [{ location: { ...BERLIN, accuracy: 100_000 } }, 'location.accuracy'],
    [{ location: { latitude: '52', longitude: 13 } }, 'location.latitude'],
    [{ location: null }, 'null'],
    [{ location: BERLIN, battery: null }, 'null'],
    [{ battery: { level: 101 } }, 'battery.level'],
    [{ battery: { level: -1 } }, 'battery.level'],
    [{ battery: { level: 1.5 } }, 'battery.level'],
    [{ battery: { charging: true } }, 'must have level'],
    [{ battery: { level: 5, status: 'full' } }, 'Unknown field "battery.status"'],
    [{ network: { latency_ms: 10_001 } }, 'network.latency_ms'],
    [{ network: { latency_ms: -1 } }, 'network.latency_ms'],
    [{ network: { loss: 1.01 } }, 'network.loss'],
    [{ network: { loss: -0.1 } }, 'network.loss'],
    [{ network: { kbps: 0 } }, 'network.kbps'],
    [{ network: { kbps: 10_000_000 } }, 'network.kbps'],
    [{ name: 'other' }, 'Unknown field "name"'],
    [[], 'object'],
  ] as const) {
    it(`refuses ${JSON.stringify(body)}`, async () => {
      const { status, body: refused } = await change(body);
      expect([status, refused.error]).to.deep.equal([400, 'bad_request']);
      expect(refused.message).to.contain(text);
      expect(await conditionsOf()).to.equal(undefined);
    });
  }

  for (const body of [
    { location: { latitude: 90, longitude: -180, altitude: 20_000, accuracy: 10_000 } },
    { location: { latitude: -90, longitude: 180, altitude: -500, accuracy: 0 } },
    { location: { latitude: 0, longitude: 0 } },
    { battery: { level: 0, charging: false } },
    { battery: { level: 100, charging: true } },
    { network: { latency_ms: 10_000, loss: 1, kbps: 1 } },
    { network: { latency_ms: 0, loss: 0, kbps: 1_000_000 } },
  ]) {
    it(`takes ${JSON.stringify(body)}`, async () => {
      expect((await change(body)).body.device?.conditions).to.deep.equal(body);
    });
  }

  it('are changed by control keys of the device alone', async () => {
    const owner = await signIn(world);
    const as = async (more: object) => world.api.as(await owner.createKey(more));
    const ask = async (more: object, name = 'on') =>
      (await (await as(more)).ask('PATCH', `/v1/devices/${name}/conditions`, { battery: { level: 5 } })).status;
    expect(await ask({ scope: 'read' })).to.equal(403);
    expect(await ask({ devices: ['off'] })).to.equal(403);
    expect(await ask({}, 'none')).to.equal(404);
    expect((await world.api.as('').ask('PATCH', '/v1/devices/on/conditions', {})).status).to.equal(401);
    expect(await ask({ devices: ['on'] })).to.equal(200);
  });

  it('are kept in the timeline as they were sent', async () => {
    await world.api.ask('PATCH', '/v1/devices/on', { timeline: true });
    await change({ battery: { level: 3 }, location: {} });
    const path = '/v1/devices/on/timeline?kind=conditions';
    await until(async () => (await world.api.get(path)).body.entries.length > 0);
    const [entry] = (await world.api.get(path)).body.entries;
    expect(entry.request).to.deep.equal({ location: {}, battery: { level: 3 } });
    expect([entry.kind, entry.outcome]).to.deep.equal(['conditions', 'done']);
    await world.api.ask('PATCH', '/v1/devices/on', { timeline: false });
  });

  it('of clones are their own; a restored device keeps its', async () => {
    await change({ battery: { level: 9 } });
    const taken = await world.api.post('/v1/devices/on/snapshots', {});
    await world.api.done(taken);
    await change({ battery: { level: 8 } });
    const { id } = taken.body.snapshot;
    await world.api.done(await world.api.post(`/v1/devices/on/snapshots/${id}/clone`, { name: 'clone' }));
    expect(await conditionsOf('clone')).to.equal(undefined);
    expect(await shell('dumpsys battery', 'clone')).to.contain('level: 100\n');
    await world.api.done(await world.api.post(`/v1/devices/on/snapshots/${id}/restore`));
    expect(await shell('dumpsys battery')).to.contain('level: 8\n');
  });

  it('that are offered are listed with each model', async () => {
    const { models } = (await world.api.get('/v1/models')).body;
    for (const { conditions } of models) expect(conditions).to.deep.equal(['location', 'battery', 'network']);
  });
});
