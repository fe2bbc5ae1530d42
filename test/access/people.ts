import { createClient, type Client } from '@connectrpc/connect';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AdminService } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { type Answer, type AskOptions, RestClient } from '../rest-client.js';
import type { OpenApi } from '../../testing/openapi.js';
import type { World } from '../world.js';

/** The REST API as the panel of a signed-in person uses it: by a cookie, from the panel's own origin. */
export class PanelClient {
  readonly #api: RestClient;
  readonly #url: string;
  readonly cookie: string;

  constructor(url: string, cookie: string, reference?: OpenApi) {
    this.#url = url;
    this.#api = new RestClient(url, undefined, reference);
    this.cookie = cookie;
  }

  ask(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answer> {
    return this.#api.ask(method, path, body, {
      ...options,
      headers: { cookie: this.cookie, origin: this.#url, ...options.headers },
    });
  }

  /** Makes a key and returns its text. */
  async createKey(init: object = {}): Promise<string> {
    const body = { name: 'made by a test', scope: 'control', devices: ['*'], ...init };
    const response = await this.ask('POST', '/v1/keys', body);
    if (response.status !== 201) throw new Error(`no key: ${response.bytes.toString()}`);
    return response.body.key.key as string;
  }
}

/** Signs in and returns the panel. */
export async function signIn(world: World, email = world.email, password = world.password): Promise<PanelClient> {
  const response = await new RestClient(world.mesh.url, undefined).post('/v1/session', { email, password });
  if (response.status !== 201) throw new Error(`not signed in: ${response.bytes.toString()}`);
  return new PanelClient(world.mesh.url, cookieOf(response));
}

/** A member of an account: what the panel of an owner invites the person to. */
export interface Membership {
  email: string;
  role: 'viewer' | 'operator' | 'admin' | 'owner';
  devices: string[] | { label: string };
}

/** Invites a person to the account, accepts the invitation, and signs in. */
export async function joinAccount(world: World, owner: PanelClient, membership: Membership): Promise<PanelClient> {
  const invited = await owner.ask('POST', '/v1/account/invitations', membership);
  if (invited.status !== 201) throw new Error(`not invited: ${invited.bytes.toString()}`);
  const password = 'correct horse';
  const [, token] = (invited.body.invitation.url as string).split('#');
  const joined = await new RestClient(world.mesh.url, undefined).post('/v1/invitations/accept', { token, password });
  if (joined.status !== 201) throw new Error(`not joined: ${joined.bytes.toString()}`);
  return signIn(world, membership.email, password);
}

/** Makes another account and signs in to it. */
export async function signUp(world: World, email: string, password = 'correct horse'): Promise<PanelClient> {
  const response = await new RestClient(world.mesh.url, undefined).post('/v1/account', { email, password });
  if (response.status !== 201) throw new Error(`not signed up: ${response.bytes.toString()}`);
  return signIn(world, email, password);
}

/** The name and value of the cookie that a response sets. */
export function cookieOf(response: Answer): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** The services above accounts. */
export function operator(world: World): Client<typeof AdminService> {
  return createClient(AdminService, joinInMemory(world.mesh.device.rpc, undefined));
}
