import { type Context, routeOf } from '../context.js';
import { assertSameOrigin } from './same-origin.js';
import { shareTokenIn } from './share-token.js';
import { isOverHttps, sessionTokenIn } from './session-cookie.js';

/**
 * Returns the credential of a request as the services take it: its Authorization header, or, of a WebSocket, the token of a share among
 * its protocols, or `Session <token>` for a panel's cookie; undefined when it has none. The cookie comes last: only the client itself can
 * have set the others, while browsers add cookies to requests that other sites cause. Throws forbidden when such a request would change something; so could a WebSocket, which moreover
 * the page of another site could read.
 */
export function credentialOf(ctx: Context, publicUrl: URL | undefined): string | undefined {
  const { authorization } = ctx.headers;
  if (authorization !== undefined) return authorization;
  const isSocket = routeOf(ctx).socket !== undefined;
  const shareToken = isSocket ? shareTokenIn(ctx.headers) : undefined;
  if (shareToken !== undefined) {
    // A page of another site that has got hold of a link shall not show the phone as its own.
    assertSameOrigin(ctx, publicUrl, { isRead: true });
    return `Bearer ${shareToken}`;
  }
  const token = sessionTokenIn(ctx, isOverHttps(ctx, publicUrl));
  if (token === undefined) return undefined;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || isSocket) assertSameOrigin(ctx, publicUrl, { isRead });
  return `Session ${token}`;
}
