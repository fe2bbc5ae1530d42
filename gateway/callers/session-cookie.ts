import type { SessionCookie } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from '../context.js';

/** Over plain http, as on loopback. */
const NAME = 'cp_session';
/** Over https. Browsers take a cookie with this prefix only with Secure, for all paths, and from this very host. */
const SECURE_NAME = `__Host-${NAME}`;
/** As the device service writes tokens; it would refuse anything else. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether the browser reaches the edge over https: through the proxy in front by its X-Forwarded-Proto, or by `publicUrl`. */
export function isOverHttps(ctx: Context, publicUrl: URL | undefined): boolean {
  return ctx.secure || publicUrl?.protocol === 'https:';
}

/**
 * Returns the session token in a request's cookies; undefined when there is none. Over https only the cookie with the prefix counts:
 * another one may have been set by a page of a neighbouring domain.
 */
export function sessionTokenIn(ctx: Context, secure: boolean): string | undefined {
  // Koa creates its reader of cookies at the first access.
  const token = ctx.headers.cookie === undefined ? undefined : ctx.cookies.get(secure ? SECURE_NAME : NAME);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Sets the cookie that keeps the browser signed in, or removes it when the token is empty. Scripts of a page cannot read it
 * (HttpOnly), and other sites' forms do not send it (SameSite). `secure`: it is sent only over https. Not by ctx.cookies, which
 * writes Expires and no Max-Age: a browser's clock may be wrong.
 */
export function setSessionCookie(ctx: Context, { token, maxAgeS }: SessionCookie, secure: boolean): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  ctx.append('Set-Cookie', [`${secure ? SECURE_NAME : NAME}=${token}`, ...attributes].join('; '));
}
