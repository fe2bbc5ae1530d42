import type { Socket } from 'node:net';
import { Frames } from '../embedded-mongo/wire/frames.js';
import { MalformedMessageError } from '../embedded-mongo/wire/message.js';

/**
 * Calls `take` with each message of MongoDB's protocol that arrives. A peer that speaks another protocol is cut off. It may be a client of
 * an earlier test that reconnects to a port with a new owner.
 */
export function onMessage(socket: Socket, take: (message: Buffer) => void): void {
  const frames = new Frames();
  socket.on('data', (chunk: Buffer) => {
    try {
      // A message may lie in a buffer that the socket uses again.
      for (const message of frames.push(chunk)) take(Buffer.from(message));
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) throw error;
      socket.destroy();
    }
  });
}
