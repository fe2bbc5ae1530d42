import type { SessionCookie } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Context } from '../context.js';

/** The name over plain http, as on loopback. */
const NAME = 'cp_session';
/** The name over https. Browsers accept a cookie with this prefix only with Secure, for all paths, and from this very host. */
const SECURE_NAME = `__Host-${NAME}`;
/** Matches what may be a token. The device service checks its exact form. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Returns whether the browser reaches the edge over https. The edge's own TLS, the X-Forwarded-Proto of a proxy in front, or `publicUrl`
 * shows it.
 */
export function isOverHttps(ctx: Context, publicUrl: URL | undefined): boolean {
  return ctx.secure || publicUrl?.protocol === 'https:';
}

/**
 * Returns the session token in a request's cookies; undefined when there is none. Over https only the cookie with the prefix counts, as a
 * page of a neighbouring domain may have set another one.
 */
export function sessionTokenIn(ctx: Context, secure: boolean): string | undefined {
  // Koa creates its reader of cookies at the first access.
  const token = ctx.headers.cookie === undefined ? undefined : ctx.cookies.get(secure ? SECURE_NAME : NAME);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Sets the cookie that keeps the browser signed in, or removes it when the token is empty. Scripts of a page cannot read it (HttpOnly),
 * and other sites' forms do not send it (SameSite). With `secure`, it is sent only over https. ctx.cookies is not used, as it writes
 * Expires and no Max-Age: a browser's clock may be wrong.
 */
export function setSessionCookie(ctx: Context, { token, maxAgeS }: SessionCookie, secure: boolean): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  ctx.append('Set-Cookie', [`${secure ? SECURE_NAME : NAME}=${token}`, ...attributes].join('; '));
}
