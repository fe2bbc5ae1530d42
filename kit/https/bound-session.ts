import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../async/clock.js';

/** How many more requests a client may reset before their responses than it lets end. */
export const MAX_EARLY_RESETS = 200;

/** How long the last frames of a connection, or of a request that is cut, may take, ms. */
export const END_MS = 1_000;

/** The time limits of an HTTP/2 connection. For HTTP/1.1, Node has such limits itself. */
export interface Http2Limits {
  /** Time to the headers of the first request, ms. */
  headersMs: number;
  /** How long a connection without a request is kept, ms. */
  idleMs: number;
  /** Longest time for a whole request to come in, ms. */
  requestMs: number;
  /** How long nothing may move during a request, ms. */
  silenceMs: number;
}

/**
 * Ends a connection, or one request of it, that is slow or silent for too long. Also ends a connection whose client resets most of its
 * requests: they cost the service work, and the client nothing. Pings and settings of the client do not count as use of the connection.
 *
 * `socket` is the session's connection itself. It is destroyed `END_MS` after the session or a request was to end: Node's session waits for
 * a write under way, which may never end. That happens when the client reads nothing. It also happens when the connection breaks off in a
 * write during a read: Node's TLS then notifies nobody.
 */
export function boundSession(session: ServerHttp2Session, socket: Socket, limits: Http2Limits, clock: Clock): void {
  let open = 0;
  let earlyResets = 0;
  let unused = clock.after(limits.headersMs, () => end());
  let ending: typeof unused | undefined;
  const destroySoon = (): void => {
    ending ??= clock.after(END_MS, () => socket.destroy());
  };
  const end = (code?: number): void => {
    session.destroy(undefined, code);
    destroySoon();
  };
  socket.once('close', () => {
    unused.cancel();
    ending?.cancel();
  });
  // An error of a connection ends only the requests of that connection.
  session.on('error', () => end());
  session.on('stream', (stream) => {
    unused.cancel();
    open++;
    let cutting: typeof unused | undefined;
    const cut = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      cutting ??= clock.after(END_MS, () => end());
    };
    const late = clock.after(limits.requestMs, cut);
    stream.once('end', () => late.cancel());
    stream.setTimeout(limits.silenceMs, cut);
    stream.once('close', () => {
      late.cancel();
      cutting?.cancel();
      open--;
      if (!stream.aborted || stream.headersSent) earlyResets = Math.max(0, earlyResets - 1);
      else if (++earlyResets > MAX_EARLY_RESETS) end(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      if (open > 0) return;
      if (session.destroyed) destroySoon();
      else
        unused = clock.after(limits.idleMs, () => {
          session.close();
          destroySoon();
        });
    });
  });
}
