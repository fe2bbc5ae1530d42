import { expect } from 'chai';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Route } from '../../gateway/routes/route.js';
import { type Answer, HANDSHAKE, type RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { joinAccount, type PanelClient, signIn, signUp } from './people.js';

/**
 * Bodies with which a route gets past its own rules, so that the permission to use it is tested. A new route that needs one fails here
 * with a message that names it.
 */
const bodies: Record<string, unknown> = {
  'PATCH /v1/devices/{name}/conditions': { battery: { level: 5 } },
  'POST /v1/devices/{name}/action': { find_text: { text: 'x' } },
  'POST /v1/devices/{name}/input': { events: [{ key: { name: 'home' } }] },
  'POST /v1/devices/{name}/act': { wait: {} },
  'POST /v1/devices/{name}/adb': { allow: ['127.0.0.1'] },
  'POST /v1/devices/{name}/network': { type: 'direct', country: 'de' },
  'POST /v1/groups': { devices: ['listed'], steps: [{ wait: { ms: 1 } }] },
  'POST /v1/schedules': {
    devices: ['listed'],
    days: ['mon'],
    time: '07:30',
    timezone: 'UTC',
    steps: [{ wait: { ms: 1 } }],
  },
  'POST /v1/devices/{name}/apps': { app: 'postcards' },
  'POST /v1/leases': { device: 'mine', ttl_s: 30 },
  'PUT /v1/pools/{name}': { model: 'phone-720p', ready: 0 },
  'POST /v1/devices/{name}/shares': { access: 'read' },
  'POST /v1/devices/{name}/handovers': { reason: 'Type the code' },
  'POST /v1/templates': { snapshot: 'snap_none', name: 'never' },
};

/** Queries, in the same way. */
const queries: Record<string, string> = {
  'GET /v1/devices/{name}/files/content': '?path=/sdcard/none',
  'PUT /v1/devices/{name}/files/content': '?path=/sdcard/none',
  'DELETE /v1/devices/{name}/files/content': '?path=/sdcard/none',
};

/** Routes that make the thing that they name, where there is none. Their own tests use a name of another account. */
const MAKES_WHAT_IT_NAMES = new Set(['PUT /v1/library/apps/{name}', 'PUT /v1/pools/{name}']);

/** Values for the path parameters that are no device. */
interface Names {
  device: string;
  ids: Record<string, string>;
}

type Ask = (...request: Parameters<RestClient['ask']>) => Promise<Answer>;

describe('every route', () => {
  let world: World;
  let owner: PanelClient;
  let stranger: PanelClient;
  /** Things of the first account. */
  let own: Names;
  let routes: readonly Route[];
  let reader: RestClient;
  let offList: RestClient;
  /** Callers that see one device, in each way in which that can be. */
  let narrow: [string, Ask][];
  let foreign: RestClient;
  /** Clients with shares of the first account's device. */
  let watcher: RestClient;
  let toucher: RestClient;

  before(async () => {
    world = await startWorld();
    routes = world.mesh.routes.filter(({ scope }) => scope !== Scope.PUBLIC);
    owner = await signIn(world);
    stranger = await signUp(world, 'stranger@example.com');
    await world.api.createPhone({ name: 'mine' });
    await world.api.createPhone({ name: 'listed', start: false });
    const taken = await world.api.post('/v1/devices/listed/snapshots');
    await world.api.done(taken);
    const template = { snapshot: taken.body.snapshot.id, name: 'golden' };
    await world.api.done(await world.api.post('/v1/templates', template));
    const jobs = await world.api.get('/v1/jobs?device=mine');
    const keys = await owner.ask('GET', '/v1/keys');
    const sessions = await owner.ask('GET', '/v1/sessions');
    const share = async (access: string): Promise<{ id: string; url: string }> =>
      (await world.api.post('/v1/devices/mine/shares', { access })).body.share;
    const [toWatch, toTouch] = [await share('read'), await share('control')];
    [watcher, toucher] = [toWatch, toTouch].map(({ url }) => world.api.as(url.split('#')[1])) as [
      RestClient,
      RestClient,
    ];
    own = {
      device: 'mine',
      ids: {
        jobs: jobs.body.jobs[0].id,
        keys: keys.body.keys[0].id,
        sessions: sessions.body.sessions[0].id,
        shares: toWatch.id,
        templates: template.name,
      },
    };
    reader = world.api.as(await owner.createKey({ scope: 'read' }));
    offList = world.api.as(await owner.createKey({ devices: ['listed'] }));
    foreign = world.api.as(await stranger.createKey());
    await world.api.ask('PATCH', '/v1/devices/listed', { labels: { team: 'qa' } });
    const label = { label: 'team=qa' };
    const member = await joinAccount(world, owner, { email: 'qa@example.com', role: 'operator', devices: label });
    narrow = [
      ['a key with a list', with_(offList)],
      ['a key with a label', with_(world.api.as(await owner.createKey({ devices: label })))],
      ['a member with a label', (...request) => member.ask(...request)],
      ['a key of that member', with_(world.api.as(await member.createKey()))],
    ];
  });
  after(() => world.close());

  const nobody: Names = { device: 'nothing', ids: {} };

  /** The route's path with the names put in: devices by the route's trait, other ids by the collection they stand in. */
  function pathOf({ binding, deviceField }: Route, names: Names): string {
    let collection = '';
    const parts = binding.segments.map((segment) => {
      if ('literal' in segment) return (collection = segment.literal);
      return segment.field === deviceField ? names.device : (names.ids[collection] ?? 'none_0');
    });
    return `/${parts.join('/')}`;
  }

  const nameOf = ({ method, template }: Route): string => `${method} ${template}`;

  function ask(route: Route, names: Names, by: Ask): Promise<Answer> {
    const body = route.binding.body === undefined ? undefined : (bodies[nameOf(route)] ?? {});
    const options = route.socket === undefined ? {} : { headers: HANDSHAKE };
    return by(route.method, pathOf(route, names) + (queries[nameOf(route)] ?? ''), body, options);
  }

  const with_ =
    (api: RestClient): Ask =>
    (...request) =>
      api.ask(...request);

  it('needs a key, is refused without one by one text, and takes no wrong one', async () => {
    expect(routes.length).to.be.greaterThan(15);
    const texts = new Set<string>();
    for (const route of routes) {
      for (const key of [undefined, 'cp_', `cp_${'a'.repeat(40)}`, `${world.key}x`, world.key.slice(0, -1)]) {
        const response = await ask(route, own, with_(world.api.as(key)));
        expect(response.status, `${nameOf(route)} with ${key ?? 'no key'}`).to.equal(401);
        texts.add(response.bytes.toString());
      }
    }
    expect(texts).to.have.length(1);
  });

  it('takes a share only where it says so, and elsewhere refuses it like a wrong key', async () => {
    const forShares = routes.filter(({ traits }) => traits.shares);
    expect(forShares.map(nameOf)).to.have.members([
      'GET /v1/share',
      'GET /v1/devices/{name}/live',
      'POST /v1/devices/{name}/handovers/{id}/take',
      'POST /v1/devices/{name}/handovers/{id}/finish',
    ]);
    for (const api of [watcher, toucher]) {
      for (const route of routes) {
        const [response, wrong] = [
          await ask(route, own, with_(api)),
          await ask(route, own, with_(world.api.as('cp_'))),
        ];
        // There is no hand-over; a share to watch is refused before that is looked at.
        if (route.traits.shares && route.template.includes('/handovers/'))
          expect(response.status, nameOf(route)).to.be.oneOf([403, 404]);
        else if (route.traits.shares) expect(response.status, nameOf(route)).to.be.oneOf([101, 200]);
        else {
          expect(response.status, nameOf(route)).to.equal(401);
          expect(response.bytes.toString(), nameOf(route)).to.equal(wrong.bytes.toString());
        }
      }
      for (const name of ['listed', 'nothing']) {
        const route = forShares.find(({ socket }) => socket !== undefined)!;
        expect((await ask(route, { ...own, device: name }, with_(api))).status, name).to.equal(404);
      }
    }
  });

  it('refuses a read-only key everything that changes or reaches a phone', async () => {
    for (const route of routes) {
      const { status } = await ask(route, own, with_(reader));
      if (route.scope !== Scope.READ) expect(status, nameOf(route)).to.equal(403);
      else expect(status, nameOf(route)).to.be.oneOf([101, 200, 304, 404, 409]);
    }
  });

  it('of a list that names a device follows the rule for devices', async () => {
    expect((await reader.get('/v1/jobs?device=mine')).body.jobs).not.to.be.empty;
    expect((await offList.get('/v1/jobs?device=mine')).body.error).to.equal('forbidden');
    const [missing, notOwn] = [await reader.get('/v1/jobs?device=nothing'), await foreign.get('/v1/jobs?device=mine')];
    expect([missing.body.error, notOwn.body.error]).to.deep.equal(['not_found', 'not_found']);
  });

  it('is a read route exactly when it is a GET, other than a stream of bytes to a phone', () => {
    for (const route of routes.filter(({ scope }) => scope !== Scope.PERSON)) {
      const isRead = route.method === 'GET' && route.socket?.kind !== 'bytes';
      expect(route.scope === Scope.READ, nameOf(route)).to.equal(isRead);
    }
  });

  it('of panels takes no key at all', async () => {
    const panels = routes.filter(({ scope }) => scope === Scope.PERSON);
    expect(panels).not.to.have.length(0);
    for (const route of panels) expect((await ask(route, own, with_(world.api))).status, nameOf(route)).to.equal(403);
  });

  it('refuses a device that the caller does not see with 403, and one that is not there with 404', async () => {
    const ofDevices = routes.filter(({ deviceField }) => deviceField !== undefined);
    expect(ofDevices.length).to.be.greaterThan(8);
    for (const [who, by] of narrow) {
      for (const route of ofDevices) {
        const off = await ask(route, own, by);
        expect(off.status, `${nameOf(route)} by ${who}: ${off.bytes.toString()}`).to.equal(403);
        const missing = await ask(route, nobody, by);
        const text = `${nameOf(route)} by ${who}: ${missing.bytes.toString()}; add a body above?`;
        expect(missing.status, text).to.equal(404);
      }
    }
  });

  it('that lists shows a device that the caller sees, and nothing of the others', async () => {
    const lists = routes.filter(
      ({ method, binding, scope, socket, eventOf }) =>
        method === 'GET' &&
        scope === Scope.READ &&
        socket === undefined &&
        eventOf === undefined &&
        binding.segments.every((segment) => 'literal' in segment),
    );
    for (const [who, by] of narrow) {
      for (const route of lists) {
        const text = (await ask(route, own, by)).bytes.toString();
        expect(text, `${nameOf(route)} by ${who}`).not.to.contain('"mine"');
      }
      const [devices, jobs] = [await by('GET', '/v1/devices'), await by('GET', '/v1/jobs')];
      expect(devices.body.devices, who).to.have.length(1);
      expect(jobs.body.jobs, who).not.to.have.length(0);
      expect((await by('GET', `/v1/jobs/${own.ids['jobs']!}`)).status, who).to.equal(404);
    }
  });

  it('responds to things of another account as to things that do not exist', async () => {
    const named = routes.filter(
      (route) =>
        route.binding.segments.some((segment) => 'field' in segment) && !MAKES_WHAT_IT_NAMES.has(nameOf(route)),
    );
    const callers: [string, Ask][] = [
      ['key', with_(foreign)],
      ['session', (...request) => stranger.ask(...request)],
    ];
    for (const route of named) {
      for (const [who, by] of callers) {
        if (who === 'key' && route.scope === Scope.PERSON) continue;
        const [theirs, missing] = [await ask(route, own, by), await ask(route, nobody, by)];
        expect(theirs.status, `${nameOf(route)} by ${who}: ${theirs.bytes.toString()}`).to.equal(404);
        const textOf = (response: Answer, names: Names): string =>
          [names.device, ...Object.values(names.ids), 'none_0'].reduce(
            (text, name) => text.replaceAll(name, '…'),
            response.bytes.toString(),
          );
        expect(textOf(theirs, own), nameOf(route)).to.equal(textOf(missing, nobody));
      }
    }
  });

  it('that lists shows nothing of another account', async () => {
    const lists = routes.filter(
      ({ method, binding }) => method === 'GET' && binding.segments.every((segment) => 'literal' in segment),
    );
    // It shows a share to those who came by it.
    const ownAt = lists.findIndex((route) => nameOf(route) === 'GET /v1/share');
    const [ownShare] = lists.splice(ownAt, 1);
    expect((await ask(ownShare!, own, (method, path) => stranger.ask(method, path))).status).to.equal(404);
    // It has what the stranger asked for, by the names that the stranger sent.
    const auditAt = lists.findIndex((route) => nameOf(route) === 'GET /v1/audit');
    const [audit] = lists.splice(auditAt, 1);
    const { entries } = (await ask(audit!, own, (method, path) => stranger.ask(method, path))).body;
    for (const { actor } of entries) expect(actor.name).to.be.oneOf(['stranger@example.com', 'made by a test']);
    for (const route of lists) {
      const response = await ask(route, own, (method, path) => stranger.ask(method, path));
      expect(response.status, nameOf(route)).to.equal(200);
      const text = response.bytes.toString();
      for (const secret of ['"mine"', '"listed"', ...Object.values(own.ids), world.email]) {
        expect(text, nameOf(route)).not.to.contain(secret);
      }
    }
  });

  it('has left everything of the first account as it was', async () => {
    const { body } = await world.api.get('/v1/devices');
    const states = body.devices.map(({ name, state }: { name: string; state: string }) => [name, state]);
    expect(states).to.deep.equal([
      ['listed', 'stopped'],
      ['mine', 'running'],
    ]);
    const keys = await owner.ask('GET', '/v1/keys');
    expect(keys.body.keys).to.have.length(5);
  });
});
