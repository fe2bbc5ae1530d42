import { expect } from 'chai';
import type { Route } from '../../gateway/routes/route.js';
import { roleNeeded } from '../../kit/rpc/caller.js';
import { wordOf } from '../../kit/text/wire-words.js';
import { MemberRole, MemberRoleSchema, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Answer, HANDSHAKE, type RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';
import { join } from './members.js';
import { type PanelClient, signIn } from './people.js';

const ROLES = [MemberRole.VIEWER, MemberRole.OPERATOR, MemberRole.ADMIN, MemberRole.OWNER] as const;

/** A credential in the table: what it may call, and how it calls. */
interface Credential {
  name: string;
  role: MemberRole;
  scope: Scope;
  ask: (method: string, path: string, body: unknown, headers: Record<string, string>) => Promise<Answer>;
}

/** The call would end the session that the test goes on with. */
const ENDS_THE_CALLER = 'DELETE /v1/session';

/** Each member may leave the account, which is why the descriptor has the least role. Here the member is someone else. */
const REMOVES_SOMEONE_ELSE = 'DELETE /v1/account/members/{id}';

describe('every route for every role', () => {
  let world: World;
  let credentials: Credential[];
  let routes: readonly Route[];

  before(async () => {
    world = await startWorld();
    routes = world.mesh.routes.filter(({ scope }) => scope !== Scope.PUBLIC);
    const owner = await signIn(world);
    credentials = [];
    for (const role of ROLES) {
      const word = wordOf(MemberRoleSchema, role) as 'viewer';
      const panel = await join(world, owner, { email: `${word}@example.com`, role: word });
      credentials.push({ name: `session of ${word}`, role, scope: Scope.PERSON, ask: byPanel(panel) });
      for (const scope of [Scope.READ, Scope.CONTROL]) {
        const key = world.api.as(await keyOf(owner, panel, role, scope === Scope.READ ? 'read' : 'control'));
        credentials.push({
          name: `${scope === Scope.READ ? 'read' : 'control'} key of ${word}`,
          role,
          scope,
          ask: byKey(key),
        });
      }
    }
  });
  after(() => world.close());

  const byPanel =
    (panel: PanelClient): Credential['ask'] =>
    (method, path, body, headers) =>
      panel.ask(method, path, body, { headers });
  const byKey =
    (key: RestClient): Credential['ask'] =>
    (method, path, body, headers) =>
      key.ask(method, path, body, { headers });

  /** Makes a key of a member. A viewer makes none, so the member is an operator while the key is made. */
  async function keyOf(owner: PanelClient, panel: PanelClient, role: MemberRole, scope: string): Promise<string> {
    const { id } = (await panel.ask('GET', '/v1/account')).body.member;
    if (role === MemberRole.VIEWER) await owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'operator' });
    const key = await panel.createKey({ scope });
    if (role === MemberRole.VIEWER) await owner.ask('PATCH', `/v1/account/members/${id}`, { role: 'viewer' });
    return key;
  }

  const nameOf = ({ method, template }: Route): string => `${method} ${template}`;
  const pathOf = ({ binding }: Route): string =>
    `/${binding.segments.map((segment) => ('literal' in segment ? segment.literal : 'none_0')).join('/')}`;

  it('refuses exactly those that the table of the descriptors refuses', async () => {
    expect(routes.length).to.be.greaterThan(100);
    for (const credential of credentials) {
      for (const route of routes) {
        const needed = nameOf(route) === REMOVES_SOMEONE_ELSE ? MemberRole.ADMIN : roleNeeded(route.traits);
        const allowed = credential.scope >= route.scope && credential.role >= needed;
        if (allowed && nameOf(route) === ENDS_THE_CALLER) continue;
        const body = route.binding.body === undefined ? undefined : {};
        const headers = route.socket === undefined ? {} : HANDSHAKE;
        const { status, bytes } = await credential.ask(route.method, pathOf(route), body, headers);
        const what = `${nameOf(route)} by a ${credential.name}: ${bytes.toString().slice(0, 200)}`;
        if (allowed) expect(status, what).not.to.be.oneOf([401, 403]);
        else expect(status, what).to.equal(403);
      }
    }
  });

  it('has a role in the descriptor of each route for people', () => {
    for (const route of routes.filter(({ scope }) => scope === Scope.PERSON))
      expect(route.traits.role, nameOf(route)).not.to.equal(MemberRole.UNSPECIFIED);
  });
});
