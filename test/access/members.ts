import { RestClient } from '../rest-client.js';
import type { World } from '../world.js';
import { type PanelClient, signIn } from './people.js';

/** Whom a test invites. */
export interface Invited {
  email: string;
  role: 'viewer' | 'operator' | 'admin' | 'owner';
  devices?: readonly string[] | { label: string };
}

/** Invites a person, and returns the invitation with the token of its link. */
export async function invite(
  panel: PanelClient,
  invited: Invited,
): Promise<{ invitation: Record<string, unknown>; token: string }> {
  const response = await panel.ask('POST', '/v1/account/invitations', invited);
  if (response.status !== 201) throw new Error(`not invited: ${response.bytes.toString()}`);
  const invitation = response.body.invitation as Record<string, unknown>;
  return { invitation, token: String(invitation['url']).split('#')[1] ?? '' };
}

/** Invites a person who is new, lets the person join, and returns the panel that the person is signed in to. */
export async function join(world: World, panel: PanelClient, invited: Invited): Promise<PanelClient> {
  const password = 'battery staple';
  const { token } = await invite(panel, invited);
  const response = await new RestClient(world.mesh.url, undefined).post('/v1/invitations/accept', { token, password });
  if (response.status !== 201) throw new Error(`not joined: ${response.bytes.toString()}`);
  return signIn(world, invited.email, password);
}
