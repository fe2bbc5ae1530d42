import type { Readable } from 'node:stream';
import { WakeSignal } from '../../../kit/async/wake-signal.js';

/**
 * Reads a number of bytes from a stream without other readers, and leaves the rest in it. Throws when the stream ends or is destroyed
 * before. The caller sets a time limit by destroying the stream.
 */
export async function readExactly(stream: Readable, bytes: number): Promise<Buffer> {
  if (bytes === 0) return Buffer.alloc(0);
  const news = new WakeSignal();
  const onEvent = (): void => news.wake();
  for (const event of EVENTS) stream.on(event, onEvent);
  try {
    for (;;) {
      const found: unknown = stream.read(bytes);
      if (Buffer.isBuffer(found) && found.length === bytes) return found;
      // At its end a stream returns the rest, which is less.
      if (found !== null || stream.destroyed || stream.readableEnded)
        throw stream.errored ?? new Error('the connection was closed in the middle of a message');
      await news.wait();
    }
  } finally {
    for (const event of EVENTS) stream.off(event, onEvent);
  }
}

const EVENTS = ['readable', 'end', 'close', 'error'] as const;
