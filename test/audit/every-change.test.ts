import { expect } from 'chai';
import { actionOf, isAudited } from '../../kit/rpc/audited-call.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Route } from '../../gateway/routes/route.js';
import { type PanelClient, signIn } from '../access/people.js';
import { HANDSHAKE, type RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

/** Routes of a program's own bytes: their body is no JSON. */
const BYTES = ['PUT /v1/library/apps/{name}', 'POST /v1/devices/{name}/apk', 'PUT /v1/devices/{name}/files/content'];

describe('every route that needs control or a person', () => {
  let world: World;
  let watcher: PanelClient;
  let reader: RestClient;
  let routes: Route[];

  before(async () => {
    world = await startWorld();
    watcher = await signIn(world);
    reader = world.api.as(await watcher.createKey({ scope: 'read', name: 'reader' }));
    await world.api.createPhone({ name: 'mine', start: false });
    routes = world.mesh.routes.filter(({ rpc, scope }) => isAudited(rpc) && scope >= Scope.CONTROL);
  });
  after(() => world.close());

  const nameOf = ({ method, template }: Route): string => `${method} ${template}`;

  const newest = async (): Promise<{ id: number; entries: { action: string; outcome: string; id: string }[] }> => {
    const { entries } = (await watcher.ask('GET', '/v1/audit?limit=5')).body;
    return { id: Number(entries[0]?.id ?? 0), entries };
  };

  function pathOf({ binding, deviceField }: Route): string {
    return `/${binding.segments
      .map((segment) => ('literal' in segment ? segment.literal : segment.field === deviceField ? 'mine' : 'none_0'))
      .join('/')}`;
  }

  function optionsOf(route: Route): { headers?: Record<string, string> } {
    if (route.socket !== undefined) return { headers: HANDSHAKE };
    return BYTES.includes(nameOf(route)) ? { headers: { 'content-type': 'application/octet-stream' } } : {};
  }

  it('makes one entry for a call that is handled, whatever comes of it', async () => {
    expect(routes.length).to.be.greaterThan(50);
    const wrong: string[] = [];
    for (const route of routes) {
      // A session that ends by the call is one of its own.
      const own = route.scope === Scope.PERSON ? await signIn(world) : world.api;
      const { id } = await newest();
      const body = route.binding.body === undefined ? undefined : {};
      const response = await own.ask(route.method, pathOf(route), body, optionsOf(route));
      const now = await newest();
      const [entry] = now.entries;
      if (now.id !== id + 1 || entry?.action !== actionOf(route.rpc))
        wrong.push(`${nameOf(route)}: ${now.id - id} entries after ${response.status}: ${response.bytes.toString()}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('makes one entry for a call that the edge refuses', async () => {
    for (const route of routes) {
      const { id } = await newest();
      const body = route.binding.body === undefined ? undefined : {};
      const response = await reader.ask(route.method, pathOf(route), body, optionsOf(route));
      expect(response.status, nameOf(route)).to.equal(403);
      const now = await newest();
      expect(now.id, nameOf(route)).to.equal(id + 1);
      expect(now.entries[0]).to.deep.include({ action: actionOf(route.rpc), outcome: 'forbidden' });
    }
  });
});
