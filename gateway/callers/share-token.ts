import type { IncomingHttpHeaders } from 'node:http';

/** The protocol of a WebSocket that a page opens with the token of a share: browsers let pages set no other header of a handshake. */
export const SHARE_PROTOCOL = 'cloudphone.share';

/** As the device service writes tokens; it would refuse anything else. */
const TOKEN = /^sh_[A-Za-z0-9]{1,128}$/;

/** Returns the token in `Sec-WebSocket-Protocol: cloudphone.share, sh_…`; undefined when there is none. */
export function shareTokenIn(headers: IncomingHttpHeaders): string | undefined {
  const [protocol, token, ...more] = headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? [];
  return protocol === SHARE_PROTOCOL && token !== undefined && more.length === 0 && TOKEN.test(token)
    ? token
    : undefined;
}
