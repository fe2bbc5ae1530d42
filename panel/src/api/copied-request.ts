import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../gen/api.ts';

/** Sends one request by a client of the API: the panel's own, or one that only notes the request. */
export type Send = (client: Client<paths>) => Promise<unknown>;

/** A request of the panel, to be written as a program. */
export interface CopiedRequest {
  method: string;
  /** From /v1 on, with its query. */
  path: string;
  /** Absent: there is none. */
  body?: unknown;
  /** Those that are part of the request, and not of the way in which it is sent. */
  headers: Record<string, string>;
}

/** Returns the request that `send` would send, without sending it. So what is copied is what the panel does. */
export async function requestOf(send: Send): Promise<CopiedRequest> {
  let sent: Request | undefined;
  const client = createClient<paths>({
    baseUrl: location.origin,
    fetch: (request) => {
      sent = request;
      return Promise.resolve(Response.json({}));
    },
  });
  await send(client);
  if (sent === undefined) throw new Error('no request was made');
  const { pathname, search } = new URL(sent.url);
  const text = await sent.text();
  const { method, headers } = sent;
  const idempotencyKey = headers.get('Idempotency-Key');
  return {
    method,
    path: pathname + search,
    ...(text !== '' && { body: JSON.parse(text) as unknown }),
    headers: idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey },
  };
}
