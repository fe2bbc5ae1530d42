import type { Context } from '../context.js';

/** The name over plain http, as on loopback. */
const NAME = 'cp_login';
/** The name over https. With this prefix, no page of a neighbouring domain can have set it, to sign people in as someone else. */
const SECURE_NAME = `__Host-${NAME}`;
/** Matches what may be a token. The device service checks its exact form. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;
/** How long a browser has for a sign-in elsewhere, seconds. */
const LOGIN_S = 600;

/** Returns the token of the sign-in that this browser began; undefined when there is none. */
export function loginTokenIn(ctx: Context, secure: boolean): string | undefined {
  const token = ctx.headers.cookie === undefined ? undefined : ctx.cookies.get(secure ? SECURE_NAME : NAME);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/**
 * Sets the cookie by which the end of a sign-in elsewhere knows the browser that began it. An empty token removes a cookie that the request
 * had. It comes back with the redirect of the other site, as SameSite=Lax allows.
 */
export function setLoginCookie(ctx: Context, token: string, secure: boolean): void {
  if (token === '' && loginTokenIn(ctx, secure) === undefined) return;
  const maxAgeS = token === '' ? 0 : LOGIN_S;
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  ctx.append('Set-Cookie', [`${secure ? SECURE_NAME : NAME}=${token}`, ...attributes].join('; '));
}
