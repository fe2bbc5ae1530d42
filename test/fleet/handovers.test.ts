import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { until } from '../../testing/until.js';
import { type PanelClient, signIn } from '../access/people.js';
import { LiveClient } from '../live/live-client.js';
import type { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const REASON = 'Type the code from the message';

describe('hand-overs to a person', () => {
  let world: World;
  let owner: PanelClient;
  let agent: RestClient;
  let other: RestClient;

  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    agent = world.api.as(await owner.createKey({ name: 'agent' }));
    other = world.api.as(await owner.createKey({ name: 'other' }));
    await world.api.createPhone({ name: 'one' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(() => world.close());
  afterEach(async () => {
    for (const { id, state } of (await owner.ask('GET', `${PATH}?limit=200`)).body.handovers)
      if (state === 'waiting' || state === 'taken') await owner.ask('DELETE', `${PATH}/${id}`);
    for (const { id } of (await owner.ask('GET', '/v1/leases')).body.leases)
      await owner.ask('DELETE', `/v1/leases/${id}`);
    await until(async () => (await world.api.get('/v1/devices/one')).body.device.lease === undefined);
  });

  const PATH = '/v1/devices/one/handovers';
  const begin = async (by = agent, body: object = {}): Promise<{ id: string; url: string }> => {
    const begun = await by.post(PATH, { reason: REASON, ...body });
    expect(begun.status, begun.bytes.toString()).to.equal(201);
    return begun.body.handover;
  };
  const person = (url: string): RestClient => world.api.as(url.slice(url.indexOf('#') + 1));
  const wake = { events: [{ key: { name: 'home' } }] };

  it('stop every key until the person gives the phone back, and return the note', async () => {
    const { id, url } = await begin();
    const refused = await agent.post('/v1/devices/one/input', wake);
    expect([refused.status, refused.body.error]).to.deep.equal([409, 'busy']);
    expect(refused.body.message).to.contain(REASON).and.to.contain(`GET ${PATH}/${id}?wait_s=60`);
    expect((await other.post('/v1/devices/one/restart', {})).status).to.equal(409);
    expect((await agent.get('/v1/devices/one/screenshot')).status).to.equal(200);
    expect((await agent.get('/v1/devices/one')).body.device.handover).to.include({ id, state: 'waiting' });

    const waiting = agent.get(`${PATH}/${id}?wait_s=60`);
    const shown = (await person(url).get('/v1/share')).body.share;
    expect(shown.handover).to.include({ id, reason: REASON, state: 'waiting' });
    const taken = await person(url).post(`${PATH}/${id}/take`, {});
    expect([taken.status, taken.body.handover.state, taken.body.handover.taken_by]).to.deep.equal([
      200,
      'taken',
      'share',
    ]);
    expect((await agent.post('/v1/devices/one/input', wake)).status).to.equal(409);
    const given = await person(url).post(`${PATH}/${id}/finish`, { note: 'Signed in' });
    expect([given.status, given.body.handover.state]).to.deep.equal([200, 'done']);

    const { handover } = (await waiting).body;
    expect([handover.state, handover.result]).to.deep.equal(['done', { note: 'Signed in' }]);
    expect((await agent.post('/v1/devices/one/input', wake)).status).to.equal(200);
    expect((await person(url).get('/v1/share')).status).to.equal(401);
    expect((await person(url).post(`${PATH}/${id}/finish`, {})).status).to.equal(401);
  });

  it('are for people in the panel too, who may do everything with the phone', async () => {
    const { id } = await begin();
    expect((await owner.ask('POST', `${PATH}/${id}/take`, {})).body.handover.taken_by).to.equal('panel');
    expect((await owner.ask('POST', '/v1/devices/one/input', wake)).status).to.equal(200);
    const restarted = await owner.ask('POST', '/v1/devices/one/restart', {});
    expect(restarted.status, JSON.stringify(restarted.body)).to.equal(202);
    await until(async () => (await world.api.get('/v1/devices/one')).body.device.job === undefined);
    expect((await agent.get(`${PATH}/${id}`)).body.handover.state).to.equal('taken');
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    expect((await agent.get(`${PATH}/${id}`)).body.handover.result).to.deep.equal({});
  });

  it('are taken and given back by people alone, and cancelled by the key that asked', async () => {
    const { id } = await begin();
    for (const action of ['take', 'finish'])
      expect((await agent.post(`${PATH}/${id}/${action}`, {})).status, action).to.equal(403);
    const share = (await owner.ask('POST', '/v1/devices/one/shares', { access: 'control' })).body.share;
    expect((await person(share.url).post(`${PATH}/${id}/finish`, {})).status).to.equal(403);
    expect((await other.delete(`${PATH}/${id}`)).status).to.equal(403);
    expect((await agent.delete(`${PATH}/${id}`)).status).to.equal(204);
    expect((await agent.delete(`${PATH}/${id}`)).status).to.equal(404);
    expect((await agent.get(`${PATH}/${id}`)).body.handover)
      .to.include({ state: 'cancelled' })
      .and.not.have.property('result');
    await owner.ask('DELETE', `/v1/devices/one/shares/${share.id}`);
  });

  it('keep their link from every key, and lose it to a person who ends it', async () => {
    const { id, url } = await begin();
    const shares = '/v1/devices/one/shares';
    const [link] = (await agent.get(shares)).body.shares;
    for (const key of [other, agent]) {
      const refused = await key.delete(`${shares}/${link.id}`);
      expect(refused.status).to.equal(403);
      expect(refused.body.message).to.contain(`DELETE ${PATH}/${id}`);
    }
    expect((await person(url).get('/v1/share')).status).to.equal(200);
    expect((await owner.ask('DELETE', `${shares}/${link.id}`)).status).to.equal(204);
    expect((await person(url).get('/v1/share')).status).to.equal(401);
    expect((await owner.ask('POST', `${PATH}/${id}/finish`, {})).status).to.equal(200);
  });

  it('break off a step of a group, which is done again when the phone is given back', async () => {
    const step = { act: { tap: { x: 10, y: 10 }, expect: { text: 'None has this' }, timeout_ms: 60_000 } };
    const { group } = (await agent.post('/v1/groups', { devices: ['one'], steps: [step] })).body;
    const stateIs = (state: string) =>
      until(async () => (await agent.get(`/v1/groups/${group.id}`)).body.group.devices[0].state === state);
    await stateIs('running');
    const { id } = await begin();
    await stateIs('waiting');
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    await stateIs('running');
    await begin();
    await stateIs('waiting');
    await owner.ask('POST', `/v1/groups/${group.id}/cancel`, {});
    await stateIs('skipped');
  });

  it('refuse every route by which a key changes the device', async () => {
    await begin();
    const changing = world.mesh.routes.filter(
      ({ deviceField, scope, socket, traits }) =>
        deviceField !== undefined && scope === Scope.CONTROL && socket === undefined && !traits.freeWhileLeased,
    );
    expect(changing.length).to.be.greaterThan(20);
    const bodies: Record<string, object> = {
      ...{
        conditions: { battery: { level: 5 } },
        action: { find_text: { text: 'x' } },
        input: wake,
        act: { wait: {} },
      },
      ...{ adb: { allow: ['127.0.0.1'] }, network: { type: 'direct', country: 'de' }, apps: { app: 'postcards' } },
      ...{ shares: { access: 'read' }, handovers: { reason: REASON } },
    };
    for (const { method, template, deviceField, binding } of changing) {
      const path = template
        .replace(`{${deviceField}}`, 'one')
        .replace('{id}', 'none')
        .replace('{package}', 'com.example.none');
      // Snapshots of an unknown id are refused as such, before the device is looked at.
      if (template.includes('{id}')) continue;
      const query = path.endsWith('/files/content') ? '?path=/sdcard/none' : '';
      const body = binding.body === undefined ? undefined : (bodies[path.split('/').at(-1) ?? ''] ?? {});
      const response = await agent.ask(method, path + query, body);
      const text = `${method} ${template}: ${response.bytes.toString()}`;
      expect(response.status, text).to.equal(409);
      expect(response.body.message, text).to.contain('handed over to a person');
    }
  });

  it('end live viewers with keys that may touch, and let the person on the live screen touch', async () => {
    const key = { authorization: `Bearer ${await owner.createKey({ name: 'viewer' })}` };
    const viewer = await LiveClient.open(world.mesh.url, 'one', key);
    const { url } = await begin();
    expect((await viewer.end()).code).to.equal(4409);
    const watching = await LiveClient.open(world.mesh.url, 'one', key);
    watching.send(wake);
    expect((await watching.text('error')).error).to.equal('busy');
    const link = { authorization: `Bearer ${url.slice(url.indexOf('#') + 1)}` };
    const touching = await LiveClient.open(world.mesh.url, 'one', link);
    touching.send(wake);
    touching.send({ events: [{ key: { name: 'none' } }] });
    // Messages are worked on in their order, so the touch was not refused.
    expect((await touching.text('error')).error).to.equal('bad_request');
    for (const one of [watching, touching]) {
      one.close();
      await one.end();
    }
  });

  it('end the connections of adb, and leave the relay on for afterwards', async () => {
    const { adb } = (await agent.post('/v1/devices/one/adb', { allow: ['127.0.0.1'] })).body;
    const dial = (): { socket: Socket; closed: Promise<void> } => {
      const socket = connect(adb.port as number, '127.0.0.1').on('error', () => undefined);
      return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) };
    };
    /** Whether the relay of the phone keeps a connection, which it ends at once where it refuses one. */
    const isTaken = async (): Promise<boolean> => {
      const { socket, closed } = dial();
      const taken = await Promise.race([closed.then(() => false), systemClock.sleep(500).then(() => true)]);
      socket.destroy();
      return taken;
    };
    expect(await isTaken()).to.equal(true);
    const { closed } = dial();
    const { id } = await begin();
    await closed;
    await until(async () => !(await isTaken()));
    expect((await agent.get('/v1/devices/one/adb')).body.adb.enabled).to.equal(true);
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    await until(isTaken);
    await agent.delete('/v1/devices/one/adb');
  });

  it('break off the steps of a program', async () => {
    const never = { wait: {}, expect: { text: 'never there' }, timeout_ms: 60_000 };
    const acting = other.post('/v1/devices/one/act', never);
    await begin();
    const { status, body } = await acting;
    expect([status, body.error]).to.deep.equal([409, 'busy']);
    expect(body.message).to.contain(REASON);
  });

  it('are one at a time, of a running phone, and of the holder of its lease', async () => {
    const { id } = await begin();
    expect((await agent.post(PATH, { reason: REASON })).status).to.equal(409);
    const byPerson = await owner.ask('POST', PATH, { reason: 'Another' });
    expect(byPerson.status).to.equal(409);
    expect(byPerson.body.message).to.contain(id).and.to.contain(REASON);
    const stopped = await agent.post('/v1/devices/off/handovers', { reason: REASON });
    expect([stopped.status, stopped.body.error]).to.deep.equal([409, 'busy']);
    expect((await agent.post('/v1/leases', { device: 'one' })).status).to.equal(409);
    for (const bad of [{}, { reason: '' }, { reason: 'x', timeout_s: 29 }, { reason: 'x', access: 'read' }])
      expect((await agent.post(PATH, bad)).status, JSON.stringify(bad)).to.equal(400);
  });

  it('prolong the lease of the key, and end with it', async () => {
    const { lease } = (await agent.post('/v1/leases', { device: 'one', ttl_s: 30 })).body;
    expect((await other.post(PATH, { reason: REASON })).status).to.equal(409);
    const { id } = await begin(agent, { timeout_s: 600 });
    const prolonged = (await agent.get(`/v1/leases/${lease.id}`)).body.lease;
    expect(Date.parse(prolonged.expires_at) - Date.parse(lease.expires_at)).to.be.greaterThan(500_000);
    expect((await owner.ask('POST', '/v1/devices/one/input', wake)).status).to.equal(200);
    // Programs renew their leases all the time, for less than a person may take.
    const renewed = (await agent.post(`/v1/leases/${lease.id}/renew`, { ttl_s: 30 })).body.lease;
    expect(renewed.expires_at).to.equal(prolonged.expires_at);
    const later = (await agent.post(`/v1/leases/${lease.id}/renew`, { ttl_s: 3_600 })).body.lease;
    expect(Date.parse(later.expires_at)).to.be.greaterThan(Date.parse(prolonged.expires_at));
    expect((await agent.delete(`/v1/leases/${lease.id}`)).status).to.equal(204);
    expect((await agent.get(`${PATH}/${id}`)).body.handover.state).to.equal('cancelled');
  });

  it('leave the calls that wait for the lease of the phone in their queue', async () => {
    const { lease } = (await agent.post('/v1/leases', { device: 'one' })).body;
    const waiting = other.post('/v1/leases', { device: 'one', wait_s: 60 });
    const { id } = await begin();
    const late = await world.api.post('/v1/leases', { device: 'one', wait_s: 1 });
    expect(late.status).to.equal(409);
    expect(late.body.message).to.contain(REASON);
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    await agent.delete(`/v1/leases/${lease.id}`);
    expect((await waiting).status).to.equal(201);
  });

  it('hold the step of a group until the phone is given back', async () => {
    const { id } = await begin();
    const step = { act: { tap: { x: 10, y: 10 } } };
    const { group } = (await agent.post('/v1/groups', { devices: ['one'], steps: [step, step] })).body;
    await until(async () => (await agent.get(`/v1/groups/${group.id}`)).body.group.devices[0].state === 'waiting');
    expect((await agent.get(`${PATH}/${id}`)).body.handover.state).to.equal('waiting');
    await owner.ask('POST', `${PATH}/${id}/finish`, {});
    await until(async () => (await agent.get(`/v1/groups/${group.id}`)).body.group.devices[0].state === 'done');
  });

  it('are in the timeline with the person and the note, and keep the last 20', async () => {
    await world.api.ask('PATCH', '/v1/devices/one', { timeline: true });
    const { id } = await begin();
    await owner.ask('POST', `${PATH}/${id}/take`, {});
    await owner.ask('POST', `${PATH}/${id}/finish`, { note: 'Signed in' });
    await until(async () => {
      const { entries } = (await agent.get('/v1/devices/one/timeline?kind=handover')).body;
      return entries[0]?.request.note === 'Signed in' && entries[0].key === 'panel' && entries[0].outcome === 'done';
    });
    // A person who gives it back without having taken it is named all the same, and not the program.
    const untaken = await begin();
    await person(untaken.url).post(`${PATH}/${untaken.id}/finish`, { note: 'By the link' });
    await until(async () => {
      const [entry] = (await agent.get('/v1/devices/one/timeline?kind=handover')).body.entries;
      return entry?.request.note === 'By the link' && entry.key !== 'agent';
    });
    for (let more = 0; more < 21; more++) await agent.delete(`${PATH}/${(await begin()).id}`);
    const { handovers } = (await agent.get(PATH)).body;
    expect(handovers).to.have.length(20);
    expect(handovers[0].begun_at >= handovers[19].begun_at).to.equal(true);
    expect((await agent.get(`${PATH}/${id}`)).status).to.equal(404);
    const first = (await agent.get(`${PATH}?limit=15`)).body;
    const rest = (await agent.get(`${PATH}?limit=15&cursor=${first.next_cursor}`)).body;
    expect([...first.handovers, ...rest.handovers]).to.deep.equal(handovers);
  });
});
