import { constants, type ServerHttp2Session } from 'node:http2';
import type { Clock } from '../clock.js';

/** What an HTTP/2 connection may take, as HTTP/1.1 has it by Node's own timeouts. */
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

/** Ends a connection, or one request of it, that is slow or silent for too long. Pings and settings of the client are no use of it. */
export function boundSession(session: ServerHttp2Session, limits: Http2Limits, clock: Clock): void {
  let open = 0;
  let unused = clock.after(limits.headersMs, () => session.destroy());
  session.once('close', () => unused.cancel());
  // A connection that breaks off ends its own requests only.
  session.on('error', () => session.destroy());
  session.on('stream', (stream) => {
    unused.cancel();
    open++;
    const cut = (): void => stream.close(constants.NGHTTP2_CANCEL);
    const late = clock.after(limits.requestMs, cut);
    stream.once('end', () => late.cancel());
    stream.setTimeout(limits.silenceMs, cut);
    stream.once('close', () => {
      late.cancel();
      open--;
      if (open === 0 && !session.destroyed) unused = clock.after(limits.idleMs, () => session.close());
    });
  });
}
