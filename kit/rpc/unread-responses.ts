import { constants, type Http2ServerResponse } from 'node:http2';
import { HeldBytes } from './guarded-body.js';

/** Counts the bytes of responses that clients have not taken from this process, for each key. A key is an address or a caller. */
export class UnreadResponses {
  readonly #most: number;
  readonly #held = new Map<string, HeldBytes>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds bytes to the count of a key; negative ones when the client has taken them. Returns false where the key then has too many. */
  add(key: string, bytes: number): boolean {
    const held = this.#held.get(key) ?? new HeldBytes(this.#most);
    held.add(bytes);
    if (held.isAbove(0)) this.#held.set(key, held);
    else this.#held.delete(key);
    return !held.isOver;
  }
}

/** Returns the counters for the bytes of a response, each with its key. It is called at each write, as the caller may become known late. */
export type CountedBy = () => readonly (readonly [UnreadResponses, key: string])[];

/**
 * Counts each part of a response from when it is written until the client has taken it. Connect holds the whole message of a unary rpc,
 * and one message of a stream, for a client that never reads. A response above the bound is reset: gRPC's clients get
 * RESOURCE_EXHAUSTED.
 */
export function boundUnread(response: Http2ServerResponse, countedBy: CountedBy): void {
  const { stream } = response;
  const write = stream.write.bind(stream) as (chunk: unknown, encoding: BufferEncoding, done: Done) => boolean;
  const open = new Set<() => void>();
  const hold = (bytes: number, counts: ReturnType<CountedBy>): (() => void) => {
    const areBelow = counts.map(([unread, key]) => unread.add(key, bytes));
    if (areBelow.includes(false)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    return () => {
      for (const [unread, key] of counts) unread.add(key, -bytes);
    };
  };
  stream.once('close', () => {
    for (const give of open) give();
  });
  stream.write = (chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
    const bytes = Buffer.byteLength(chunk as Uint8Array);
    const done = [encoding, callback].find((one): one is Done => typeof one === 'function');
    const give = hold(bytes, [...countedBy()]);
    open.add(give);
    return write(chunk, (typeof encoding === 'string' ? encoding : 'utf8') as BufferEncoding, (error) => {
      open.delete(give);
      give();
      done?.(error);
    });
  };
}

type Done = (error?: Error | null) => void;
