import { ApiError } from '../../kit/errors.js';
import { parseUrl } from '../../kit/parse-url.js';
import type { Context } from '../context.js';

/** The types of bodies that a form of any page can send to any origin, without a question to the server before. */
const FORM_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/**
 * Throws forbidden unless our own page caused the request: by Sec-Fetch-Site, or by an Origin that is the scheme, host and port the
 * request was sent to, or those of `publicUrl`, where a proxy in front changes them. A request with neither header is of a program
 * that keeps the cookie itself: browsers send one of them with each request that changes something and with each WebSocket. For a
 * browser that does not, a change needs a header that no form can send.
 */
export function assertSameOrigin(
  { headers, protocol, host }: Context,
  publicUrl: URL | undefined,
  { isRead }: { isRead: boolean },
): void {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  if (site === undefined && headers.origin === undefined) {
    const type = headers['content-type'];
    const isOfForm = type === undefined || FORM_TYPES.test(type.trim());
    if (isRead || !isOfForm || headers['x-requested-with'] !== undefined) return;
    throw new ApiError(
      'forbidden',
      'A change with a session cookie and without an Origin header needs Content-Type: application/json, also without a body, or any ' +
        'X-Requested-With header. Programs use an API key instead.',
    );
  }
  const from = parseUrl(headers.origin ?? '')?.origin ?? 'null';
  // Opaque origins are all written as "null".
  if (from !== 'null' && (from === parseUrl(`${protocol}://${host}`)?.origin || from === publicUrl?.origin)) return;
  throw new ApiError(
    'forbidden',
    "A session cookie allows changes, and a share a WebSocket, only from the panel's own pages: the Origin header must name this host, " +
      'with its scheme. Programs send an API key, or the token of a share, in the Authorization header instead.',
  );
}
