import type { SessionCookie } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from '../context.js';

const NAME = 'cp_session';
/** As the device service writes tokens; it would refuse anything else. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** Returns the session token in a request's cookies; undefined when there is none. */
export function sessionTokenIn(ctx: Context): string | undefined {
  // Koa creates its reader of cookies at the first access.
  const token = ctx.headers.cookie === undefined ? undefined : ctx.cookies.get(NAME);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Sets the cookie that keeps the browser signed in, or removes it when the token is empty. Scripts of a page cannot read it
 * (HttpOnly), and other sites' forms do not send it (SameSite). `secure`: it is sent only over https. Not by ctx.cookies, which
 * writes Expires and no Max-Age: a browser's clock may be wrong.
 */
export function setSessionCookie(ctx: Context, { token, maxAgeS }: SessionCookie, secure: boolean): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  ctx.append('Set-Cookie', [`${NAME}=${token}`, ...attributes].join('; '));
  ctx.set('Cache-Control', 'no-store');
}
