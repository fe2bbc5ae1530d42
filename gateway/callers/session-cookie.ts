import type { IncomingHttpHeaders } from 'node:http';
import type { SessionCookie } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

const NAME = 'cp_session';
/** As the token is written by the device service; anything else would not get past it anyway. */
const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** The session token in a request's cookies; undefined when there is none. */
export function sessionTokenIn({ cookie }: IncomingHttpHeaders): string | undefined {
  if (cookie === undefined) return undefined;
  for (const pair of cookie.split(';')) {
    const [name, value = ''] = pair.split('=', 2).map((part) => part.trim());
    if (name === NAME && TOKEN.test(value)) return value;
  }
  return undefined;
}

/**
 * Headers of an answer: keeps the browser signed in, or lets it forget the cookie when the token is empty. Scripts of a page cannot read it (HttpOnly), and
 * other sites' forms do not send it (SameSite). `secure`: only over https.
 */
export function sessionCookieHeaders({ token, maxAgeS }: SessionCookie, secure: boolean): string[] {
  const attributes = ['Path=/', `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])];
  return ['Set-Cookie', [`${NAME}=${token}`, ...attributes].join('; '), 'Cache-Control', 'no-store'];
}
