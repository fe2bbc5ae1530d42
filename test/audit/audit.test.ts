import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { operator, type PanelClient, signIn } from '../access/people.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

interface Entry {
  id: string;
  at: string;
  actor: { kind: string; id: string; name: string };
  role?: string;
  action: string;
  device?: string;
  target?: string;
  outcome: string;
  address: string;
  request_id: string;
  before: string;
  digest: string;
}

describe('the audit log', () => {
  let world: World;
  let owner: PanelClient;
  before(async () => {
    world = await startWorld();
    owner = await signIn(world);
    await world.api.createPhone({ name: 'mine' });
  });
  after(() => world.close());

  const list = async (query = ''): Promise<Entry[]> => {
    const response = await owner.ask('GET', `/v1/audit?limit=1000${query}`);
    expect(response.status, response.bytes.toString()).to.equal(200);
    return response.body.entries as Entry[];
  };
  const newest = async (): Promise<Entry> => (await list())[0] as Entry;

  it('has an entry with who, what, where from and how it ended', async () => {
    const response = await world.api.ask('POST', '/v1/devices/mine/input', { events: [{ key: { name: 'home' } }] });
    expect(response.status).to.equal(200);
    const entry = await newest();
    expect(entry).to.deep.include({ action: 'ScreenService.SendInput', device: 'mine', outcome: 'ok' });
    expect(entry.actor.kind).to.equal('key');
    expect(entry.address).to.equal('127.0.0.1');
    expect(entry.request_id).to.equal(response.headers.get('x-request-id'));
    expect(entry.role).to.equal('owner');
  });

  it('names what a call made, and the thing in the path of others', async () => {
    const made = await owner.ask('POST', '/v1/keys', { name: '=1+1 "x"', scope: 'control', devices: ['*'] });
    const { id, key } = made.body.key;
    expect(await newest()).to.deep.include({ action: 'KeyService.CreateKey', target: id, outcome: 'ok' });
    expect((await newest()).actor).to.deep.include({ kind: 'person', name: world.email });
    await owner.ask('DELETE', `/v1/keys/${id}`);
    expect(await newest()).to.deep.include({ action: 'KeyService.RevokeKey', target: id });
    expect(JSON.stringify(await list())).not.to.contain(key);
  });

  it('has sign-ins, refused ones too, and no password', async () => {
    const guest = new RestClient(world.mesh.url, undefined);
    await guest.post('/v1/session', { email: world.email, password: 'not the password' });
    await guest.post('/v1/session', { email: 'nobody@example.com', password: 'not the password' });
    await signIn(world);
    const signIns = await list('&action=SessionService.SignIn');
    expect(signIns.map(({ outcome }) => outcome)).to.have.members(['ok', 'unauthorized', 'ok']);
    expect(signIns[0]?.actor).to.deep.include({ kind: 'person', name: world.email });
    expect(JSON.stringify(signIns)).not.to.contain('password');
  });

  it('names who began a call, also where the key or the session ended before the call did', async () => {
    const { body } = await owner.ask('POST', '/v1/keys', { name: 'short', scope: 'control', devices: ['*'] });
    const { id, key } = body.key;
    const other = await signIn(world);
    const act = { key: { name: 'home' }, expect: { text: 'no such words' }, timeout_ms: 2_000 };
    const path = '/v1/devices/mine/act';
    const inFront = async () => (await world.api.get('/v1/devices/mine/observe?screenshot=none')).body.observation.app;
    for (const [begin, end] of [
      [() => world.api.as(key as string).post(path, act), () => owner.ask('DELETE', `/v1/keys/${id as string}`)],
      [() => other.ask('POST', path, act), () => other.ask('DELETE', '/v1/session')],
    ] as const) {
      await world.api.post(path, { open_app: { app: 'com.cloudphone.notes' } });
      const acting = begin();
      // The key press shows that the call has begun.
      await until(async () => (await inFront()) === 'com.cloudphone.launcher');
      expect((await end()).status).to.equal(204);
      const response = await acting;
      expect(response.status, response.bytes.toString()).to.equal(200);
    }
    const entries = (await list('&action=ScreenService.Act')).filter(({ actor }) => actor.name !== 'quickstart');
    expect(entries.map(({ actor, outcome }) => [actor.name, outcome])).to.have.deep.members([
      ['short', 'ok'],
      [world.email, 'ok'],
    ]);
  });

  it('has refused calls with the kind of their error', async () => {
    await world.api.post('/v1/devices/none/start');
    expect(await newest()).to.deep.include({
      action: 'DeviceService.StartDevice',
      device: 'none',
      outcome: 'not_found',
    });
    const reader = world.api.as(await owner.createKey({ scope: 'read', name: 'reader' }));
    expect((await reader.ask('DELETE', '/v1/devices/mine')).status).to.equal(403);
    expect(await newest()).to.deep.include({
      action: 'DeviceService.DeleteDevice',
      device: 'mine',
      outcome: 'forbidden',
    });
    expect((await newest()).actor.name).to.equal('reader');
  });

  it('has the commands of the operator that change something', async () => {
    await operator(world).creditAccount({ email: world.email, amount: '1.00' });
    await operator(world).listAccounts({});
    const entry = await newest();
    expect(entry).to.deep.include({ action: 'AdminService.CreditAccount', outcome: 'ok' });
    expect(entry.actor).to.deep.equal({ kind: 'operator', id: '', name: '' });
    expect(entry.role).to.equal(undefined);
  });

  it('is read by filters and times', async () => {
    const all = await list();
    const some = all[2] as Entry;
    expect((await list(`&actor=${some.actor.id}`)).every(({ actor }) => actor.id === some.actor.id)).to.equal(true);
    expect((await list('&device=mine')).every(({ device }) => device === 'mine')).to.equal(true);
    const since = await list(`&from=${some.at}`);
    expect(since.map(({ id }) => id)).to.include(some.id);
    expect(since.every(({ at }) => at >= some.at)).to.equal(true);
    expect((await list(`&to=${some.at}`)).every(({ at }) => at < some.at)).to.equal(true);
    expect(await list('&from=1990-01-01T00:00:00Z&to=2990-01-01T00:00:00Z')).to.deep.equal(all);
    expect((await owner.ask('GET', '/v1/audit?limit=2')).body.next_cursor).to.be.a('string');
  });

  it('is for owners and admins alone', async () => {
    expect((await world.api.get('/v1/audit')).status).to.equal(403);
  });

  it('is a chain of digests that anybody can compute', async () => {
    const response = await owner.ask('GET', '/v1/audit?limit=1000', undefined, {
      headers: { accept: 'application/x-ndjson' },
    });
    const lines = response.bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry)
      .reverse();
    expect(lines.length).to.be.greaterThan(8);
    let before = '';
    for (const [at, line] of lines.entries()) {
      expect(line.id).to.equal(String(at + 1));
      expect(line.before).to.equal(before);
      const { actor } = line;
      const texts = [
        ...[line.id, line.at, actor.kind, actor.id, actor.name, line.role ?? '', line.action, line.device ?? ''],
        ...[line.target ?? '', line.outcome, line.address, line.request_id, line.before],
      ];
      before = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
      expect(line.digest).to.equal(before);
    }
  });

  it('comes as a table in which no text is a formula', async () => {
    const sly = world.api.as(await owner.createKey({ name: '=HYPERLINK("x")' }));
    await sly.post('/v1/devices/mine/stop');
    const response = await owner.ask('GET', '/v1/audit?limit=3', undefined, { headers: { accept: 'text/csv' } });
    expect(response.headers.get('content-type')).to.match(/^text\/csv/);
    expect(response.bytes.toString()).to.contain(`"'=HYPERLINK(""x"")"`);
  });

  it('leaves out no route that needs control, and none of people that changes something', () => {
    const missing = world.mesh.routes.filter(
      ({ traits, scope, method }) => scope >= Scope.CONTROL && traits.notAudited && method !== 'GET',
    );
    expect(missing.map(({ method, template }) => `${method} ${template}`)).to.deep.equal([]);
    const looks = world.mesh.routes.filter(
      ({ traits, scope, method }) => scope === Scope.PERSON && method === 'GET' && !traits.notAudited,
    );
    expect(looks.map(({ template }) => template)).to.deep.equal([]);
  });
});
