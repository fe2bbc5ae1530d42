import type { ObjectId } from 'bson';
import type { Socket } from 'node:net';
import type { Clock } from '../kit/async/clock.js';
import { isDocument, type BsonDocument } from './values/document.js';
import type { Request } from './wire/message.js';

/** Bounds of the wait that a client requests, ms. The lower one prevents a flood of replies, the upper one endless waits. */
const WAIT_MS = { least: 10, most: 600_000 };

/**
 * Returns how long the reply to a hello waits, ms. The driver sends the server state that it saw last (`topologyVersion`). It wants a reply
 * when the state differs, or after `maxAwaitTimeMS`. Returns 0 when the driver saw another state, and undefined for a request that asks for
 * no wait.
 *
 * With a waiting hello, the driver notices at once that a connection is gone. Without it, the driver polls on a connection that may be
 * closed. Current versions of the driver then wait for that reply for ever.
 */
export function awaitedMs({ body }: Request, processId: ObjectId): number | undefined {
  const [name = ''] = Object.keys(body);
  const { topologyVersion, maxAwaitTimeMS } = body;
  if (!/^(hello|isMaster)$/i.test(name) || typeof maxAwaitTimeMS !== 'number' || !isDocument(topologyVersion))
    return undefined;
  if (!isCurrent(topologyVersion, processId)) return 0;
  return boundedWait(maxAwaitTimeMS);
}

export function boundedWait(ms: number): number {
  return Math.min(Math.max(ms, WAIT_MS.least), WAIT_MS.most);
}

/** Whether the driver knows the state of this process, which never changes while the process runs. */
function isCurrent({ processId: known, counter }: BsonDocument, processId: ObjectId): boolean {
  return counter === 0 && processId.equals(known as ObjectId);
}

/** Resolves with true after `ms`, or with false as soon as the client has sent something or is gone. */
export function staysQuiet(socket: Socket, clock: Clock, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (quiet: boolean): void => {
      timer.cancel();
      socket.off('readable', stir);
      socket.off('close', stir);
      resolve(quiet);
    };
    const stir = (): void => end(false);
    const timer = clock.after(ms, () => end(true));
    socket.on('readable', stir);
    socket.on('close', stir);
    if (socket.destroyed) stir();
  });
}
