import type { Context } from '../context.js';
import { assertSameOrigin } from './same-origin.js';
import { sessionTokenIn } from './session-cookie.js';

/**
 * Returns the credential of a request as the services take it: its Authorization header, or `Session <token>` for a panel's cookie;
 * undefined when it has none. The header takes precedence: only the client itself can have set it, while browsers add cookies to
 * requests that other sites cause. Throws forbidden when such a request would change something.
 */
export function credentialOf(ctx: Context, publicUrl: URL | undefined): string | undefined {
  const { authorization } = ctx.headers;
  if (authorization !== undefined) return authorization;
  const token = sessionTokenIn(ctx);
  if (token === undefined) return undefined;
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') assertSameOrigin(ctx, publicUrl);
  return `Session ${token}`;
}
