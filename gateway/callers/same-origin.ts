import { parseUrl } from '../../kit/parse-url.js';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../kit/errors.js';

/**
 * For what changes something and is signed in by a cookie, which a browser sends whoever made it send the request: throws forbidden
 * unless the browser says that our own page did. It says so by Sec-Fetch-Site, or by an Origin whose host is the one that was asked
 * (or the one of `publicUrl`, where a proxy in front changes the host).
 */
export function assertSameOrigin(headers: IncomingHttpHeaders, publicUrl: URL | undefined): void {
  const { origin, host } = headers;
  if (headers['sec-fetch-site'] === 'same-origin') return;
  const from = parseUrl(origin ?? '')?.host ?? '';
  if (from !== '' && (from === host?.toLowerCase() || from === publicUrl?.host)) return;
  throw new ApiError(
    'forbidden',
    "A session cookie changes things only from the panel's own pages: the Origin header must name this host. " +
      'Programs use an API key instead.',
  );
}
