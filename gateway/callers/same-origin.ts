import { ApiError } from '../../kit/errors/api-error.js';
import { parseUrl } from '../../kit/text/parse-url.js';
import type { Context } from '../context.js';

/** The types of bodies that a form of any page can send to any origin without a preflight request. */
const FORM_TYPES = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

/**
 * Returns whether a page of another site made a browser send the request, as its Sec-Fetch-Site or Origin header shows. The Origin of our
 * own pages has the scheme, host and port to which the request was sent. A proxy in front may change these, so an Origin equal to that of
 * `publicUrl` is also one of ours. A request with neither header comes from a program.
 */
export function isOfForeignPage({ headers, protocol, host }: Context, publicUrl: URL | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || (site === undefined && headers.origin === undefined)) return false;
  const from = parseUrl(headers.origin ?? '')?.origin ?? 'null';
  // All opaque origins are written as "null", so this value shows nothing.
  return from === 'null' || (from !== parseUrl(`${protocol}://${host}`)?.origin && from !== publicUrl?.origin);
}

/**
 * Throws forbidden unless our own page caused the request, or a program that stores the cookie itself. Browsers send Sec-Fetch-Site or
 * Origin with each request that changes something, and with each WebSocket. Some browser may not, so a change without both headers needs a
 * content type or a header that no form can send.
 */
export function assertSameOrigin(ctx: Context, publicUrl: URL | undefined, { isRead }: { isRead: boolean }): void {
  const { headers } = ctx;
  if (isOfForeignPage(ctx, publicUrl)) {
    throw new ApiError(
      'forbidden',
      "A session cookie allows changes, and a share a WebSocket, only from the panel's own pages: the Origin header must name this host, " +
        'with its scheme. Programs send an API key, or the token of a share, in the Authorization header instead.',
    );
  }
  if (isRead || headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) return;
  const type = headers['content-type'];
  const isOfForm = type === undefined || FORM_TYPES.test(type.trim());
  if (!isOfForm || headers['x-requested-with'] !== undefined) return;
  throw new ApiError(
    'forbidden',
    'A change with a session cookie and without an Origin header needs Content-Type: application/json, also without a body, or any ' +
      'X-Requested-With header. Programs use an API key instead.',
  );
}
