import type { ErrorKind } from '../../kit/errors/api-error.js';
import type { Context } from '../context.js';

/** The page of the panel on which people sign in. */
const SIGN_IN_PAGE = '/sign-in';

/** Sends a browser on with a GET. The address may hold a secret, so it is neither stored nor named to other sites. */
export function sendRedirect(ctx: Context, location: string): void {
  ctx.status = 303;
  ctx.set('Location', location);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  // Koa writes the status as text without this.
  ctx.body = '';
  ctx.remove('Content-Type');
}

/** Sends a browser whose request failed to the sign-in page, which has words for the kind of the error. */
export function redirectWithError(ctx: Context, kind: ErrorKind): void {
  sendRedirect(ctx, `${SIGN_IN_PAGE}#error=${kind}`);
}
