import type { Page } from 'playwright-core';
import { type PanelClient, signIn } from '../access/people.js';
import { RestClient } from '../rest-client.js';
import type { PanelPage, PanelWorld } from './panel-world.js';

/** The password of each person that a test invites. */
export const MEMBER_PASSWORD = 'correct horse battery';

/** Makes a person a member of the first account, by an invitation, and returns the person's own client. */
export async function joinAs(panel: PanelWorld, email: string, role: string, devices = ['*']): Promise<PanelClient> {
  const owner = await signIn(panel.world);
  const { status, body } = await owner.ask('POST', '/v1/account/invitations', { email, role, devices });
  if (status !== 201) throw new Error(`not invited: ${JSON.stringify(body)}`);
  const token = new URL(body.invitation.url as string).hash.slice(1);
  const anyone = new RestClient(panel.world.mesh.url, undefined);
  const joined = await anyone.post('/v1/invitations/accept', { token, password: MEMBER_PASSWORD });
  if (joined.status !== 201) throw new Error(`not joined: ${JSON.stringify(joined.body)}`);
  return signIn(panel.world, email, MEMBER_PASSWORD);
}

/** Opens a page that is signed in as a person. */
export async function openAs(panel: PanelWorld, person: PanelClient): Promise<PanelPage> {
  const opened = await panel.open({ signedIn: false });
  const [name = '', value = ''] = person.cookie.split('=');
  await opened.context.addCookies([{ name, value, url: panel.world.mesh.url, httpOnly: true, sameSite: 'Lax' }]);
  return opened;
}

/** Returns the names of the links of the main navigation. */
export function navigationOf(page: Page): Promise<string[]> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
}
