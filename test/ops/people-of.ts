import { until } from '../../testing/until.js';
import { cookieOf, PanelClient } from '../access/people.js';
import { type Answer, RestClient } from '../rest-client.js';

export const EMAIL = 'somebody@example.com';
export const PASSWORD = 'correct horse battery';

/** Signs a person up and in at an edge, and makes a key for all devices. */
export async function signUp(
  edgeUrl: string,
  key: { webhook_url?: string } = {},
): Promise<{ panel: PanelClient; api: RestClient; key: string }> {
  const nobody = new RestClient(edgeUrl, undefined);
  const person = { email: EMAIL, password: PASSWORD };
  await made(() => nobody.ask('POST', '/v1/account', person));
  const panel = new PanelClient(edgeUrl, cookieOf(await made(() => nobody.ask('POST', '/v1/session', person))));
  const body = { name: 'made-first', scope: 'control', devices: ['*'], ...key };
  const text = (await made(() => panel.ask('POST', '/v1/keys', body))).body.key.key as string;
  return { panel, api: new RestClient(edgeUrl, text), key: text };
}

/** Asks again after 503, as clients are to do: where all services have just started on a busy machine, the database may be late. */
async function made(ask: () => Promise<Answer>): Promise<Answer> {
  let response!: Answer;
  await until(async () => (response = await ask()).status !== 503);
  if (response.status !== 201) throw new Error(`${response.status} ${response.bytes.toString()}`);
  return response;
}
