import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../../gen/api.ts';
import { ApiFault } from './api-fault.ts';
import { sendConfirmed } from './step-up.ts';

type Schemas = components['schemas'];
export type Account = Schemas['Account'];
export type Device = Schemas['Device'];
export type DeviceState = Device['state'];
export type Job = Schemas['Job'];

/** Types of the API's objects, by their names in the reference. */
export type { Schemas };
export { ApiFault };

/** The public API. The browser sends the session cookie, which no script can read. */
export const api: Client<paths> = createClient<paths>({
  baseUrl: '/',
  fetch: (request) => sendConfirmed(request, fetchOrExplain),
});

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the body of a call's response; throws an ApiFault for an error. */
export async function take<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) return data as T;
  throw faultOf(response, error);
}

/** Returns the error of a response whose JSON is `body`. */
export function faultOf(response: Response, body: unknown): ApiFault {
  const requestId = response.headers.get('X-Request-Id') ?? undefined;
  const { error, message } = (body ?? {}) as { error?: string; message?: string };
  const text = message ?? `The service responded with status ${response.status}. Try again in a moment.`;
  return new ApiFault(response.status, error ?? 'internal', text, requestId);
}

/** Sends a request. Throws an ApiFault with status 0 when it does not get through. */
export async function fetchOrExplain(input: Request): Promise<Response> {
  try {
    return await fetch(input);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiFault(0, 'network', 'The service cannot be reached. Check your connection.', undefined);
  }
}
