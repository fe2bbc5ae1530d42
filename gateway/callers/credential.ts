import type { IncomingHttpHeaders } from 'node:http';
import { type Context, routeOf } from '../context.js';
import { assertSameOrigin } from './same-origin.js';
import { isOverHttps, sessionTokenIn } from './session-cookie.js';

/** The protocol of a WebSocket that a page opens with the token of a share: browsers let pages set no other header of a handshake. */
const SHARE_PROTOCOL = 'cloudphone.share';

/** The form of a share's token. The device service itself checks whether a token is valid. */
const SHARE_TOKEN = /^sh_[A-Za-z0-9]{1,128}$/;

/**
 * Returns the credential of a request as the services take it; undefined when there is none. It is the Authorization header, or the token
 * of a share among the protocols of a WebSocket, or `Session <token>` for a panel's cookie.
 *
 * The cookie comes last. Only the client itself can have set the others, while browsers add cookies to requests that other sites cause.
 * Throws forbidden when a request from another site would change something. It throws for a WebSocket too, as the page of the other site
 * could send input by it and even read its messages.
 */
export function credentialOf(ctx: Context, publicUrl: URL | undefined): string | undefined {
  const { authorization } = ctx.headers;
  if (authorization !== undefined) return authorization;
  const isSocket = routeOf(ctx).socket !== undefined;
  const shareToken = isSocket ? shareTokenIn(ctx.headers) : undefined;
  if (shareToken !== undefined) {
    // A page of another site that has got hold of a link must not show the phone as its own.
    assertSameOrigin(ctx, publicUrl, { isRead: true });
    return `Bearer ${shareToken}`;
  }
  const token = sessionTokenIn(ctx, isOverHttps(ctx, publicUrl));
  if (token === undefined) return undefined;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || isSocket) assertSameOrigin(ctx, publicUrl, { isRead });
  return `Session ${token}`;
}

/** Returns the token in `Sec-WebSocket-Protocol: cloudphone.share, sh_…`; undefined when there is none. */
export function shareTokenIn(headers: IncomingHttpHeaders): string | undefined {
  const [protocol, token, ...more] = headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? [];
  return protocol === SHARE_PROTOCOL && token !== undefined && more.length === 0 && SHARE_TOKEN.test(token)
    ? token
    : undefined;
}
