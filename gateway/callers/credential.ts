import { type Context, routeOf } from '../context.js';
import { assertSameOrigin } from './same-origin.js';
import { isOverHttps, sessionTokenIn } from './session-cookie.js';

/**
 * Returns the credential of a request as the services take it: its Authorization header, or `Session <token>` for a panel's cookie;
 * undefined when it has none. The header takes precedence: only the client itself can have set it, while browsers add cookies to
 * requests that other sites cause. Throws forbidden when such a request would change something; so could a WebSocket, which moreover
 * the page of another site could read.
 */
export function credentialOf(ctx: Context, publicUrl: URL | undefined): string | undefined {
  const { authorization } = ctx.headers;
  if (authorization !== undefined) return authorization;
  const token = sessionTokenIn(ctx, isOverHttps(ctx, publicUrl));
  if (token === undefined) return undefined;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || routeOf(ctx).socket !== undefined) assertSameOrigin(ctx, publicUrl, { isRead });
  return `Session ${token}`;
}
