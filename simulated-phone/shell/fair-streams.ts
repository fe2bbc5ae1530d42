import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { asBuffer, type ByteSink, type ByteSource } from '../streams/pipe.js';
import type { Streams } from './redirect.js';

/**
 * Wraps the streams of one command so that they regularly let others run. A command that never waits for anything outside (`yes >
 * /dev/null`) would otherwise hold the process, and with it every other phone. The streams also end a command whose client is gone, with
 * BrokenPipe.
 */
export function fairStreams(streams: Streams, signal: AbortSignal): Streams {
  const turns = new Turns(signal);
  return {
    ...(streams.others && { others: streams.others }),
    stdin: source(streams.stdin, turns),
    stdout: sink(streams.stdout, turns),
    stderr: sink(streams.stderr, turns),
  };
}

/** Does the same for a file that a command opened. */
export function fairSource(from: ByteSource, signal: AbortSignal): ByteSource {
  return source(from, new Turns(signal));
}

function source(from: ByteSource, turns: Turns): ByteSource {
  return {
    read: async () => {
      const bytes = await from.read();
      await turns.took(bytes?.length ?? 0);
      return bytes;
    },
    ...(from.unread && { unread: (bytes: Buffer) => from.unread?.(bytes) }),
  };
}

function sink(to: ByteSink, turns: Turns): ByteSink {
  return {
    write: async (text) => {
      const bytes = asBuffer(text);
      await turns.took(bytes.length);
      await to.write(bytes);
    },
  };
}

class Turns {
  readonly #signal: AbortSignal;
  #operations = 0;
  #bytes = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async took(bytes: number): Promise<void> {
    if (this.#signal.aborted) throw new BrokenPipe('ended');
    this.#operations++;
    this.#bytes += bytes;
    if (this.#operations < OPERATIONS_PER_TURN && this.#bytes < BYTES_PER_TURN) return;
    this.#operations = 0;
    this.#bytes = 0;
    await otherWork();
  }
}

/** Lets the other work of the process run: other phones share it. */
export function otherWork(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const OPERATIONS_PER_TURN = 32;
const BYTES_PER_TURN = 64 * 1024;
