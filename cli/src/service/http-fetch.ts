import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Statuses whose responses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * Sends a request of the client by node:http. Node's own fetch takes 100 ms of a processor for its first response, which is more than all the
 * rest of a call. Redirects are not followed, so that the key goes to no other service.
 */
export async function httpFetch(request: Request, { signal }: RequestInit): Promise<Response> {
  const { url, method, headers, body } = request;
  const content = body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(url, {
      method,
      signal: signal ?? request.signal,
      headers: {
        ...Object.fromEntries(headers),
        ...(content !== undefined && { 'content-length': content.length }),
      },
    });
    outgoing.once('response', resolve);
    // Stays attached: an error after the response has the response's own stream fail too.
    outgoing.on('error', reject);
    outgoing.end(content);
  });
  const { statusCode: status = 0 } = response;
  return new Response(WITHOUT_BODY.has(status) ? null : await bodyOf(response), {
    status,
    headers: headersOf(response),
  });
}

/** Returns a stream of events as a stream, and everything else whole. */
async function bodyOf(response: IncomingMessage): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>> {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  return isStream ? (Readable.toWeb(response) as ReadableStream<Uint8Array>) : new Uint8Array(await buffer(response));
}

/** Returns the headers of a response that have one value. */
export function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'),
  );
}
