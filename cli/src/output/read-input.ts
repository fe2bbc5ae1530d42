import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * Returns the whole standard input. Throws the reason of the signal when it aborts first: the program watches SIGINT and SIGTERM by it, so
 * they do not end a process that waits for input.
 */
export async function readInput(input: Readable, signal: AbortSignal): Promise<string> {
  const leave = endBy(input, signal);
  try {
    return await text(input);
  } finally {
    leave();
  }
}

/** Yields the standard input in pieces as it comes, and ends as `readInput` does. What follows can be read after the loop was left. */
export async function* inputPieces(input: Readable, signal: AbortSignal): AsyncGenerator<string, void> {
  const leave = endBy(input, signal);
  try {
    for await (const piece of input.iterator({ destroyOnReturn: false })) yield String(piece);
  } finally {
    leave();
  }
}

/** Ends `input` with the reason of the signal when it aborts. Returns a function that ends this link. */
function endBy(input: Readable, signal: AbortSignal): () => void {
  signal.throwIfAborted();
  const end = (): void => {
    const reason: unknown = signal.reason;
    input.destroy(reason instanceof Error ? reason : new Error(String(reason)));
  };
  signal.addEventListener('abort', end, { once: true });
  return () => signal.removeEventListener('abort', end);
}
