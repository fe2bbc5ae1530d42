import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../gen/api.ts';
import type { SampleRequest, Value } from '../../../reference/samples/request.ts';

/** Sends a request through the client of the API that it gets: the panel's own, or one that only notes the request. */
export type Send = (client: Client<paths>) => Promise<unknown>;

/** A request of the panel, to be written as a program. */
export type CopiedRequest = Omit<SampleRequest, 'result'>;

/** Returns the request that `send` would send, without sending it. So the copied program does what the panel does. */
export async function requestOf(send: Send): Promise<CopiedRequest> {
  let copied: CopiedRequest | undefined;
  const client = createClient<paths>({ baseUrl: location.origin });
  client.use({
    onRequest: async ({ request, schemaPath, params }) => {
      const text = await request.clone().text();
      const { path: pathValues = {}, query = {} } = params as Partial<Record<string, Record<string, Value>>>;
      const key = request.headers.get('Idempotency-Key');
      copied = {
        method: request.method,
        path: new URL(request.url).pathname.replace(/^\/v1/, ''),
        template: schemaPath,
        ...{ pathValues, query: given(query), access: 'key' },
        headers: key === null ? {} : { 'Idempotency-Key': key },
        body: text === '' ? { kind: 'none' } : { kind: 'json', value: JSON.parse(text) as unknown },
      };
      return Response.json({});
    },
  });
  await send(client);
  if (copied === undefined) throw new Error('no request was made');
  return copied;
}

/** The parameters that have a value. */
function given(query: Record<string, Value | undefined>): Record<string, Value> {
  return Object.fromEntries(Object.entries(query).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}
