import type { RestClient } from '../rest-client.js';

/** The phone that the calls move. */
export const PHONE = 'demo';

/** The calls of the pictures, in their order: what each does is seen on the phone. */
export const CALLS: readonly Call[] = [
  { step: { open_app: { app: 'Notes' } } },
  { step: { tap: { text: 'New note' } } },
  { step: { type: { text: 'Oat milk', target: { text: 'Title' } } } },
  { step: { tap: { text: 'Save' }, expect: { text: 'Oat milk' } } },
  { step: { open_app: { app: 'Settings' } } },
  { step: { tap: { text: 'Display' } } },
  { step: { key: { name: 'home' } } },
];

/** The call whose picture stands alone. */
export const HERO_CALL = 3;

/** One step of `act`, as the body of the request. */
export interface Call {
  step: Record<string, unknown>;
}

/** Makes a call, and returns what of its response is shown. */
export async function makeCall(api: RestClient, { step }: Call): Promise<string> {
  const { status, body } = await api.post(`/v1/devices/${PHONE}/act`, {
    ...step,
    observe: 'elements',
    elements: 'compact',
  });
  if (status !== 200) throw new Error(`act is ${status}: ${JSON.stringify(body)}`);
  const { app, elements_text: text = '' } = body.observation as { app: string; elements_text?: string };
  return `${status} ${app}\n${text.trim()}`;
}
