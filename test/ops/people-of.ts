import { cookieOf, PanelClient } from '../access/people.js';
import { RestClient } from '../rest-client.js';

export const EMAIL = 'somebody@example.com';
export const PASSWORD = 'correct horse battery';

/** Signs a person up and in at an edge, and makes a key for all devices. */
export async function signUp(
  edgeUrl: string,
  key: { webhook_url?: string } = {},
): Promise<{ panel: PanelClient; api: RestClient; key: string }> {
  const nobody = new RestClient(edgeUrl, undefined);
  await nobody.ask('POST', '/v1/account', { email: EMAIL, password: PASSWORD });
  const panel = new PanelClient(
    edgeUrl,
    cookieOf(await nobody.ask('POST', '/v1/session', { email: EMAIL, password: PASSWORD })),
  );
  const body = { name: 'made-first', scope: 'control', devices: ['*'], ...key };
  const text = (await panel.ask('POST', '/v1/keys', body)).body.key.key as string;
  return { panel, api: new RestClient(edgeUrl, text), key: text };
}
