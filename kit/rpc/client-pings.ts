import type { ServerHttp2Session } from 'node:http2';
import type { Clock } from '../async/clock.js';

/** Silent times between two pings after which a client has vanished. The first may be the event loop's, which was busy. */
const SILENT_TIMES = 2;

/**
 * Sends pings to a client while it has calls, and notifies when it has vanished. A machine that lost its power or its network closes no
 * connection, and a call that only waits would stay open for it.
 *
 * Bytes of the client count as its response: a slow client may have megabytes in front of a ping, and shows that it takes them.
 */
export function watchClient(
  session: ServerHttp2Session,
  parts: {
    clock: Clock;
    /** Time between two pings, ms. */
    pingMs: number;
    hasCalls: () => boolean;
    /** Returns how many bytes came from the client. */
    bytesRead: () => number;
    onVanished: () => void;
  },
): void {
  const { clock, pingMs, hasCalls, bytesRead, onVanished } = parts;
  let silentTimes = 0;
  let isAwaited = false;
  let readBytes = 0;
  const look = (): void => {
    if (session.destroyed) return;
    const isHeard = !isAwaited || bytesRead() !== readBytes;
    silentTimes = isHeard ? 0 : silentTimes + 1;
    if (silentTimes >= SILENT_TIMES) {
      onVanished();
      return;
    }
    timer = clock.after(pingMs, look);
    readBytes = bytesRead();
    if (isAwaited || !hasCalls()) return;
    isAwaited = session.ping((fault) => {
      // A ping that the end of the session took away was not answered.
      if (fault === null) isAwaited = false;
    });
  };
  let timer = clock.after(pingMs, look);
  session.once('close', () => timer.cancel());
}
