import { ApiError } from '../../kit/errors.js';
import { parseUrl } from '../../kit/parse-url.js';
import type { Context } from '../context.js';

/**
 * Throws forbidden unless our own page caused the request: by Sec-Fetch-Site, or by an Origin that is the scheme, host and port the
 * request was sent to, or those of `publicUrl`, where a proxy in front changes them. A request with neither header is of a program
 * that keeps the cookie itself: browsers send one of them with each request that changes something and with each WebSocket.
 */
export function assertSameOrigin({ headers, protocol, host }: Context, publicUrl: URL | undefined): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || (site === undefined && headers.origin === undefined)) return;
  const from = parseUrl(headers.origin ?? '')?.origin ?? 'null';
  // Opaque origins are all written as "null".
  if (from !== 'null' && (from === parseUrl(`${protocol}://${host}`)?.origin || from === publicUrl?.origin)) return;
  throw new ApiError(
    'forbidden',
    "A session cookie allows changes only from the panel's own pages: the Origin header must name this host, with its scheme. " +
      'Programs use an API key instead.',
  );
}
