import type { IncomingMessage } from 'node:http';
import { assertSameOrigin } from './same-origin.js';
import { sessionTokenIn } from './session-cookie.js';

/**
 * What a request shows of who sends it, as the services take it: its Authorization header, or `Session <token>` for a panel's cookie;
 * undefined when it shows nothing. A header stands above a cookie: only the sender itself can have put it there.
 *
 * Throws forbidden for a cookie from another origin when the request `changes` something. A WebSocket counts as that: browsers open
 * one to anywhere, with the cookie.
 */
export function credentialOf(
  { headers }: IncomingMessage,
  { changes, publicUrl }: { changes: boolean; publicUrl: URL | undefined },
): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return authorization;
  const token = sessionTokenIn(headers);
  if (token === undefined) return undefined;
  if (changes) assertSameOrigin(headers, publicUrl);
  return `Session ${token}`;
}
