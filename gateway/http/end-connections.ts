import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock } from '../../kit/async/clock.js';
import type { LateRequests } from './late-requests.js';

export interface EndOptions {
  clock: Clock;
  /** Holds the requests that come once connections are no longer served as before. */
  late: LateRequests;
  /** Longest time in which connections are accepted and served as before, ms. */
  acceptMs: number;
  /** How long idle connections stay open, ms, for requests that were sent before the port closed. */
  graceMs: number;
  /** Time limit of the whole stop, ms. */
  drainMs: number;
  /** Called when `drainMs` is over; responds to the requests that are left. */
  onTimeout: () => void;
}

/** How long sending the responses of `onTimeout` may take, ms. */
const LAST_RESPONSES_MS = 1_000;

/**
 * How long the port must be quiet before it closes, ms: no connection and no request comes. A client on a busy machine gets to run in
 * that time.
 */
const QUIET_MS = 250;

/** Longest wait for the port to be quiet, ms. Afterwards it closes, even if clients still connect. */
const QUIET_WAIT_MS = 2_000;

/** How often the port is checked for quiet, ms. */
const LOOK_MS = 10;

/**
 * Closes a server without cutting off a request that was sent to it. A closing port resets the connections that the kernel holds for it,
 * so it closes in a moment in which there are none:
 *
 * 1. Connections are accepted and served until a turn of the event loop brings none, and for at most `acceptMs`.
 * 2. Requests that come then are held. A client that waits for a response opens no further connection, so after a while no new
 *    connections come. The port closes, and the held requests are refused.
 * 3. Connections without a request close after `graceMs`: their request may be on its way, or in a buffer that nobody has read yet.
 *    Node's own close() would end such connections at once, and so reset them. By now, the caller makes every response say
 *    `Connection: close`.
 */
export async function endConnections(server: Server, options: EndOptions): Promise<void> {
  const { clock, late, graceMs, drainMs, onTimeout } = options;
  const deadline = clock.after(drainMs, () => {
    onTimeout();
    last = clock.after(LAST_RESPONSES_MS, () => server.closeAllConnections());
  });
  let last: typeof deadline | undefined;
  await acceptWaiting(server, options);
  if (await hasConnections(server)) {
    late.hold();
    await quiet(server, options);
  }
  await new Promise<void>((resolve) => {
    let timer = clock.after(graceMs, closeIdle);
    // This is repeated, as a response that began before the port closed keeps its connection open.
    function closeIdle(): void {
      server.closeIdleConnections();
      timer = clock.after(graceMs, closeIdle);
    }
    NetServer.prototype.close.call(server, () => {
      timer.cancel();
      deadline.cancel();
      last?.cancel();
      // Node's own close() stops the timer for its time limits. All connections have ended already.
      server.close();
      resolve();
    });
    late.release();
  });
}

/** Accepts connections until a turn of the event loop brings no further one, or the time is over. */
async function acceptWaiting(server: Server, { clock, acceptMs }: EndOptions): Promise<void> {
  const untilMs = clock.monotonicMs() + acceptMs;
  let accepted = 0;
  let before = -1;
  const count = (): void => {
    accepted++;
  };
  server.on('connection', count);
  while (before !== accepted && clock.monotonicMs() < untilMs) {
    before = accepted;
    // The first turn ends in the middle of the loop; the second one includes the phase in which connections are accepted.
    await turnOfLoop();
    await turnOfLoop();
  }
  server.off('connection', count);
}

/** Waits until the port has been quiet for QUIET_MS, or QUIET_WAIT_MS are over. Each check lets the event loop accept what waits. */
async function quiet(server: Server, { clock, late }: EndOptions): Promise<void> {
  const untilMs = clock.monotonicMs() + QUIET_WAIT_MS;
  let newsMs = clock.monotonicMs();
  const note = (): void => {
    newsMs = clock.monotonicMs();
  };
  server.on('connection', note);
  late.onHeld = note;
  for (;;) {
    await clock.sleep(LOOK_MS);
    await turnOfLoop();
    await turnOfLoop();
    const nowMs = clock.monotonicMs();
    if (nowMs - newsMs >= QUIET_MS || nowMs >= untilMs) break;
  }
  server.off('connection', note);
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error !== null || count > 0)));
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
