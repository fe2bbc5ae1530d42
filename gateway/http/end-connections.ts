import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Clock } from '../../kit/clock.js';

export interface EndOptions {
  clock: Clock;
  /** Time in which requests that were sent before arrive on connections without one under way, ms. */
  graceMs: number;
  /** Time for requests under way, ms. */
  drainMs: number;
  /** Called at its end: responds to the requests that are left. */
  onTimeout: () => void;
}

/** Time for the responses of `onTimeout` to be sent, ms. */
const LAST_RESPONSES_MS = 1_000;

/** Turns of the event loop in which waiting connections are accepted, at the most: clients that connect without end are no reason to stay. */
const TURNS_MOST = 100;

/**
 * Closes a server without cutting off a request that was sent to it. First the connections that the kernel holds for the server are
 * accepted, which it would reset with the port. Then the port closes, and connections without a request close after `graceMs`: the
 * request may be on its way, or in a buffer that nobody has read yet. Node's own close() ends them at once, and so resets them. The
 * caller has every response say `Connection: close` by now.
 */
export async function endConnections(server: Server, options: EndOptions): Promise<void> {
  const { clock, graceMs, drainMs, onTimeout } = options;
  await acceptWaiting(server);
  await new Promise<void>((resolve) => {
    let timer = clock.after(graceMs, closeIdle);
    const late = clock.after(drainMs, () => {
      onTimeout();
      last = clock.after(LAST_RESPONSES_MS, () => server.closeAllConnections());
    });
    let last: typeof late | undefined;
    // Again and again: a response that began before the port closed keeps its connection open.
    function closeIdle(): void {
      server.closeIdleConnections();
      timer = clock.after(graceMs, closeIdle);
    }
    NetServer.prototype.close.call(server, () => {
      timer.cancel();
      late.cancel();
      last?.cancel();
      // Ends Node's checks of its time limits; everything else has ended.
      server.close();
      resolve();
    });
  });
}

/** Accepts connections until a turn of the event loop brings no further one. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  let before = -1;
  const count = (): void => {
    accepted++;
  };
  server.on('connection', count);
  for (let turn = 0; turn < TURNS_MOST && before !== accepted; turn++) {
    before = accepted;
    // The first turn ends in the middle of the loop; the second one includes the phase in which connections are accepted.
    await turnOfLoop();
    await turnOfLoop();
  }
  server.off('connection', count);
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
