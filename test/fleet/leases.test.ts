import { expect } from 'chai';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { until } from '../../testing/until.js';
import { joinAccount, type PanelClient, signIn, signUp } from '../access/people.js';
import { LiveClient } from '../live/live-client.js';
import type { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

/** How long the contract lets others go on after a lease has begun, ms, with room for a busy machine. */
const ENDED_MS = 10_000;

describe('leases', () => {
  let world: World;
  let owner: PanelClient;
  let ci: RestClient;
  let other: RestClient;

  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    ci = world.api.as(await owner.createKey({ name: 'ci' }));
    other = world.api.as(await owner.createKey({ name: 'other' }));
    for (const name of ['one', 'two']) await world.api.createPhone({ name });
    await world.api.createPhone({ name: 'off', start: false });
    await world.api.ask('PATCH', '/v1/devices/two', { labels: { team: 'qa' } });
    await world.api.ask('PATCH', '/v1/devices/off', { labels: { team: 'qa' } });
  });
  after(() => world.close());
  afterEach(async () => {
    const { body } = await owner.ask('GET', '/v1/leases');
    for (const { id } of body.leases) await owner.ask('DELETE', `/v1/leases/${id}`);
    await until(async () => !(await leasedNames()).length);
  });

  const leasedNames = async (): Promise<string[]> => {
    const { body } = await owner.ask('GET', '/v1/devices');
    return body.devices.filter((one: { lease?: object; job?: string }) => one.lease ?? one.job).map(nameOf);
  };
  const nameOf = ({ name }: { name: string }): string => name;
  const lease = async (by: RestClient, body: object) => by.post('/v1/leases', body);
  const done = async (jobId: string): Promise<void> => {
    await until(async () => (await world.api.get(`/v1/jobs/${jobId}`)).body.job.state === 'done');
  };
  const wake = { events: [{ key: { name: 'home' } }] };

  it('keep a phone for their holder, and refuse others with who has it, why and until when', async () => {
    const taken = await lease(ci, { device: 'one', note: 'run 7' });
    expect(taken.status).to.equal(201);
    const { id, device, holder, note, at_end: atEnd, expires_at: expiresAt } = taken.body.lease;
    expect([device, holder.name, note, atEnd]).to.deep.equal(['one', 'ci', 'run 7', 'keep']);
    expect(taken.body.device.lease.id).to.equal(id);
    const refused = await other.post('/v1/devices/one/input', wake);
    expect([refused.status, refused.body.error]).to.deep.equal([409, 'busy']);
    expect(refused.body.message).to.contain('leased by ci for "run 7"').and.to.contain(expiresAt);
    expect((await ci.post('/v1/devices/one/input', wake)).status).to.equal(200);
    expect((await other.get('/v1/devices/one/screenshot')).status).to.equal(200);
    expect((await other.get('/v1/devices/one')).body.device.lease.holder.name).to.equal('ci');
    expect((await ci.delete(`/v1/leases/${id}`)).status).to.equal(204);
    expect((await ci.get(`/v1/leases/${id}`)).status).to.equal(404);
    expect((await other.post('/v1/devices/one/input', wake)).status).to.equal(200);
  });

  it('refuse every route that changes a device, but for those that leave it as it is', async () => {
    const snapshot = (await ci.post('/v1/devices/one/snapshots', {})).body;
    await done(snapshot.job.id);
    const share = (await other.post('/v1/devices/one/shares', { access: 'read' })).body.share;
    await lease(ci, { device: 'one' });
    const bodies: Record<string, object> = {
      conditions: { battery: { level: 5 } },
      action: { find_text: { text: 'x' } },
      input: wake,
      act: { wait: {} },
      adb: { allow: ['127.0.0.1'] },
      network: { type: 'direct', country: 'de' },
      apps: { app: 'postcards' },
      shares: { access: 'read' },
      handovers: { reason: 'x' },
    };
    const changing = world.mesh.routes.filter(
      ({ deviceField, scope, socket }) => deviceField !== undefined && scope === Scope.CONTROL && socket === undefined,
    );
    expect(changing.length).to.be.greaterThan(20);
    for (const { method, template, deviceField, binding, traits } of changing) {
      const path = template
        .replace(`{${deviceField}}`, 'one')
        .replace(
          '{id}',
          template.includes('snapshots') ? snapshot.snapshot.id : template.includes('shares') ? share.id : 'rec_0',
        )
        .replace('{package}', 'com.example.none');
      const last = path.split('/').at(-1) ?? '';
      const query = path.endsWith('/files/content') ? '?path=/sdcard/none' : '';
      const body = binding.body === undefined ? undefined : (bodies[last] ?? {});
      const response = await other.ask(method, path + query, body);
      const text = `${method} ${template}: ${response.bytes.toString()}`;
      if (traits.freeWhileLeased) expect(response.status, text).not.to.equal(409);
      else {
        expect(response.status, text).to.equal(409);
        expect(response.body.message, text).to.contain('leased by ci');
      }
    }
    const clones = (await world.api.get('/v1/devices')).body.devices
      .map(nameOf)
      .filter((name: string) => name.startsWith('phone-'));
    for (const name of clones) {
      await until(async () => (await world.api.delete(`/v1/devices/${name}`)).status !== 409);
    }
    await until(async () => (await world.api.get('/v1/devices')).body.devices.length === 3);
  });

  it('take any device with a label, a running one first', async () => {
    const [first, second, third] = [
      await lease(ci, { label: 'team:qa' }),
      await lease(other, { label: 'team:qa' }),
      await lease(other, { label: 'team:qa' }),
    ];
    expect([first.body.lease.device, second.body.lease.device]).to.deep.equal(['two', 'off']);
    expect([third.status, third.body.error]).to.deep.equal([409, 'busy']);
    expect(third.body.message).to.contain('GET /v1/devices?label=team:qa');
  });

  it('are not of a phone whose host is silent', async () => {
    const [hosts, devices] = [
      world.database.collection<{ _id: string; leaseUntil?: Date; seenAt?: Date }>('hosts'),
      world.database.collection('devices'),
    ];
    const own = (await hosts.findOne({}))!;
    await hosts.insertOne({ ...own, _id: 'away', leaseUntil: new Date(0), seenAt: new Date(Date.now() - 60_000) });
    await devices.updateOne({ name: 'two' }, { $set: { hostId: 'away' } });
    // The hosts are read once a second.
    const leaseOf = async (name: string): Promise<boolean> => {
      const { device, id } = (await lease(ci, { label: 'team:qa' })).body.lease;
      if (device !== name) await ci.delete(`/v1/leases/${id}`);
      return device === name;
    };
    try {
      await until(() => leaseOf('off'));
      const second = await lease(other, { label: 'team:qa' });
      expect([second.status, second.body.error]).to.deep.equal([409, 'busy']);
    } finally {
      await devices.updateOne({ name: 'two' }, { $set: { hostId: own._id } });
      await hosts.deleteOne({ _id: 'away' });
    }
    await until(async () => (await lease(ci, { label: 'team:qa' })).status === 201);
  });

  it('serve those who wait in the order in which they came, and before those who come later', async () => {
    const held = (await lease(ci, { device: 'one' })).body.lease;
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (note, at) => {
      await until(async () => (await world.database.collection('lease_waits').countDocuments()) === at);
      const { body } = await lease(other, { device: 'one', wait_s: 60, note });
      order.push(note);
      await other.delete(`/v1/leases/${body.lease.id}`);
    });
    await until(async () => (await world.database.collection('lease_waits').countDocuments()) === 3);
    await ci.delete(`/v1/leases/${held.id}`);
    await Promise.all(waiting);
    expect(order).to.deep.equal(['a', 'b', 'c']);
    expect(await world.database.collection('lease_waits').countDocuments()).to.equal(0);
  });

  it('are not given to a client that left while it waited', async () => {
    const held = (await lease(ci, { device: 'one' })).body.lease;
    const leaving = new AbortController();
    const left = other
      .post('/v1/leases', { device: 'one', wait_s: 60 }, { signal: leaving.signal })
      .catch(() => 'left');
    await until(async () => (await world.database.collection('lease_waits').countDocuments()) === 1);
    leaving.abort();
    expect(await left).to.equal('left');
    await until(async () => (await world.database.collection('lease_waits').countDocuments()) === 0);
    await ci.delete(`/v1/leases/${held.id}`);
    expect(await leasedNames()).to.deep.equal([]);
  });

  it('are renewed and released by their holder, and ended by a person in the panel', async () => {
    const { id, expires_at: before } = (await lease(ci, { device: 'one', ttl_s: 30 })).body.lease;
    const renewed = (await ci.post(`/v1/leases/${id}/renew`, { ttl_s: 3_600 })).body.lease;
    expect(Date.parse(renewed.expires_at) - Date.parse(before)).to.be.within(3_500_000, 3_700_000);
    for (const response of [await other.post(`/v1/leases/${id}/renew`, {}), await other.delete(`/v1/leases/${id}`)]) {
      expect([response.status, response.body.error]).to.deep.equal([403, 'forbidden']);
      expect(response.body.message).to.contain('"ci"');
    }
    expect((await owner.ask('DELETE', `/v1/leases/${id}`)).status).to.equal(204);
    expect((await ci.post(`/v1/leases/${id}/renew`, {})).status).to.equal(404);
    const stranger = await signUp(world, 'leases@example.com');
    const again = (await lease(ci, { device: 'one' })).body.lease;
    expect((await stranger.ask('GET', `/v1/leases/${again.id}`)).status).to.equal(404);
    expect((await stranger.ask('DELETE', `/v1/leases/${again.id}`)).status).to.equal(404);
  });

  it('stop the phone at their end, before anyone else gets it', async () => {
    const { id } = (await lease(ci, { device: 'two', at_end: 'stop' })).body.lease;
    const next = lease(other, { device: 'two', wait_s: 60 });
    await ci.delete(`/v1/leases/${id}`);
    const { lease: after, device } = (await next).body;
    expect([after.holder.name, device.state]).to.deep.equal(['other', 'stopped']);
    const jobs = (await world.api.get('/v1/jobs?device=two')).body.jobs;
    expect(jobs[0].kind).to.equal('stop');
    await other.delete(`/v1/leases/${after.id}`);
    await world.api.done(await world.api.post('/v1/devices/two/start'));
  });

  it('take the phone back to a snapshot at their end', async () => {
    const { job, snapshot } = (await ci.post('/v1/devices/one/snapshots', {})).body;
    await done(job.id);
    const refused = await lease(ci, { device: 'one', at_end: 'restore' });
    expect([refused.status, refused.body.error]).to.deep.equal([400, 'bad_request']);
    const { id } = (await lease(ci, { device: 'one', at_end: 'restore', snapshot: snapshot.id })).body.lease;
    await ci.ask('PUT', '/v1/devices/one/files/content?path=/sdcard/left.txt', new Uint8Array([1]));
    await ci.delete(`/v1/leases/${id}`);
    await until(async () => (await world.api.get('/v1/devices/one')).body.device.job === undefined);
    expect((await world.api.get('/v1/devices/one/files/content?path=/sdcard/left.txt')).status).to.equal(404);
  });

  it('end the live screens of others that may touch; these may watch when they come back', async () => {
    const authorization = (by: 'ci' | 'other') => ({ authorization: `Bearer ${keys[by]}` });
    const keys = { ci: await owner.createKey({ name: 'a' }), other: await owner.createKey({ name: 'b' }) };
    const reader = await owner.createKey({ scope: 'read' });
    const [toucher, watcher] = [
      await LiveClient.open(world.mesh.url, 'one', authorization('other')),
      await LiveClient.open(world.mesh.url, 'one', { authorization: `Bearer ${reader}` }),
    ];
    const { id } = (await lease(world.api.as(keys.ci), { device: 'one' })).body.lease;
    expect((await toucher.end()).code).to.equal(4409);
    const again = await LiveClient.open(world.mesh.url, 'one', authorization('other'));
    again.send(wake);
    expect((await again.text('error')).error).to.equal('busy');
    for (const viewer of [again, watcher]) {
      viewer.close();
      await viewer.end();
    }
    await world.api.as(keys.ci).delete(`/v1/leases/${id}`);
  });

  it('turn off the relay of another key, and end its shares with control', async () => {
    await other.post('/v1/devices/one/adb', { allow: ['127.0.0.1'] });
    const share = async (by: RestClient, access: string) =>
      (await by.post('/v1/devices/one/shares', { access })).body.share.id as string;
    const [ended, watching, own] = [
      await share(other, 'control'),
      await share(other, 'read'),
      await share(ci, 'control'),
    ];
    await lease(ci, { device: 'one' });
    await until(async () => !(await other.get('/v1/devices/one/adb')).body.adb.enabled, ENDED_MS);
    const left = (await other.get('/v1/devices/one/shares')).body.shares.map(({ id }: { id: string }) => id);
    expect(left).to.include.members([watching, own]).and.not.to.include(ended);
    expect((await ci.post('/v1/devices/one/adb', { allow: ['127.0.0.1'] })).status).to.equal(200);
    await ci.delete('/v1/devices/one/adb');
  });

  it('break off the steps of another key', async () => {
    const never = { wait: {}, expect: { text: 'never there' }, timeout_ms: 60_000 };
    const acting = other.post('/v1/devices/one/act', never);
    await lease(ci, { device: 'one' });
    const { status, body } = await acting;
    expect([status, body.error]).to.deep.equal([409, 'busy']);
    expect(body.message).to.contain('leased by ci');
  });

  it('end with the key that has them, and with the device', async () => {
    const { body } = await owner.ask('POST', '/v1/keys', { name: 'gone', scope: 'control', devices: ['*'] });
    await lease(world.api.as(body.key.key), { device: 'one' });
    await owner.ask('DELETE', `/v1/keys/${body.key.id}`);
    await until(async () => !(await leasedNames()).includes('one'));
    await world.api.createPhone({ name: 'short', start: false });
    const { id } = (await lease(ci, { device: 'short' })).body.lease;
    await ci.done(await ci.delete('/v1/devices/short'));
    expect((await ci.get(`/v1/leases/${id}`)).status).to.equal(404);
    const events = world.database.collection('events');
    await until(async () => (await events.countDocuments({ type: 'lease.ended', device: 'short' })) === 1);
  });

  it('end with the membership of a person, and where the person may only look by then', async () => {
    for (const change of ['left', 'viewer'] as const) {
      const email = `${change}@example.com`;
      const panel = await joinAccount(world, owner, { email, role: 'operator', devices: ['*'] });
      const { id: memberId } = (await panel.ask('GET', '/v1/account')).body.member;
      const taken = await panel.ask('POST', '/v1/leases', { device: 'one', ttl_s: 3_600 });
      expect(taken.status, taken.bytes.toString()).to.equal(201);
      const path = `/v1/account/members/${memberId as string}`;
      const changed =
        change === 'left' ? await owner.ask('DELETE', path) : await owner.ask('PATCH', path, { role: 'viewer' });
      expect(changed.status, changed.bytes.toString()).to.be.within(200, 204);
      await until(async () => (await other.post('/v1/devices/one/input', wake)).status === 200);
    }
  });

  it('refuse what makes no sense, with what to send instead', async () => {
    const bad: [object, string][] = [
      [{}, 'exactly one of'],
      [{ device: 'one', label: 'team:qa' }, 'exactly one of'],
      [{ device: 'one', ttl_s: 29 }, 'ttl_s'],
      [{ device: 'one', ttl_s: 86_401 }, 'ttl_s'],
      [{ device: 'one', wait_s: 61 }, 'wait_s'],
      [{ device: 'one', note: 'a\nb' }, 'note'],
      [{ device: 'one', note: 'x'.repeat(2_000) }, 'note'],
      [{ device: 'one', snapshot: 'snap_1' }, 'at_end'],
      [{ label: 'team:qa', at_end: 'restore', snapshot: 'snap_1' }, 'restore'],
    ];
    for (const [body, text] of bad) {
      const response = await lease(ci, body);
      expect(response.status, JSON.stringify(body)).to.equal(400);
      expect(response.body.message, JSON.stringify(body)).to.contain(text);
    }
    expect((await lease(ci, { device: 'none' })).status).to.equal(404);
    expect((await lease(ci, { pool: 'none' })).status).to.equal(404);
    const reader = world.api.as(await owner.createKey({ scope: 'read' }));
    expect((await lease(reader, { device: 'one' })).status).to.equal(403);
  });
});
