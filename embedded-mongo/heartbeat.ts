import type { ObjectId } from 'bson';
import type { Socket } from 'node:net';
import type { Clock } from '../kit/clock.js';
import { isDocument, type BsonDocument } from './values/document.js';
import type { Request } from './wire/message.js';

/** Bounds of the wait that a client requests: no flood of replies, and nothing that outlives its use, ms. */
const WAIT_MS = { least: 10, most: 600_000 };

/**
 * How long a hello is to wait before its reply, ms: the driver sends the state of the server that it knows (`topologyVersion`) and wants
 * to hear of another, or of the same one after `maxAwaitTimeMS`. Undefined for any other command; 0 when it knows another state.
 *
 * It is how the driver sees at once that a connection is gone. Without it the driver polls on a connection that may
 * be closed, and its version of today then waits for the reply for ever.
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

/** The state of this server never changes while it runs. */
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
