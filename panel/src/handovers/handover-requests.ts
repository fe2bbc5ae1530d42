import { api, type Schemas, take } from '../api/client.ts';

export type Handover = Schemas['Handover'];

/** Which hand-over, and the token of the link by which the person came. Without a token the person is signed in. */
export interface WhichHandover {
  device: string;
  id: string;
  token?: string;
}

/** Takes the phone, so that the program sees that a person has it. */
export async function takeHandover(which: WhichHandover): Promise<Handover> {
  return (await take(api.POST('/v1/devices/{name}/handovers/{id}/take', requestOf(which)))).handover;
}

/** Gives the phone back with a note, which may be empty. */
export async function finishHandover(which: WhichHandover, note: string): Promise<Handover> {
  const body = note === '' ? {} : { note };
  const finished = api.POST('/v1/devices/{name}/handovers/{id}/finish', { ...requestOf(which), body });
  return (await take(finished)).handover;
}

export async function cancelHandover(which: WhichHandover): Promise<void> {
  await take(api.DELETE('/v1/devices/{name}/handovers/{id}', requestOf(which)));
}

export async function readHandover(which: WhichHandover): Promise<Handover> {
  return (await take(api.GET('/v1/devices/{name}/handovers/{id}', requestOf(which)))).handover;
}

function requestOf({ device, id, token }: WhichHandover) {
  const params = { path: { name: device, id } };
  if (token === undefined) return { params };
  return { params, headers: { authorization: `Bearer ${token}` }, credentials: 'omit' as const };
}
