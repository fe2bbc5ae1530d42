import { WakeSignal } from '../../kit/async/wake-signal.js';
import type { Reservation } from '../memory/memory-budget.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';

/** The source from which a command reads. */
export interface ByteSource {
  /** Returns the next bytes as they came; undefined at the end, and ever after. */
  read(): Promise<Buffer | undefined>;
  /** Puts bytes back in front. The shell's `read` command takes one line, and leaves the rest to the next command. */
  unread?(bytes: Buffer): void;
}

/** The sink to which a command writes. The promise resolves when there is room again, so a writer that awaits it is slowed down. */
export interface ByteSink {
  /** Writes bytes. Throws BrokenPipe when there is no reader any more. */
  write(bytes: string | Uint8Array): Promise<void>;
}

/** The source or sink of a descriptor. */
export type Descriptor = Partial<ByteSource> & Partial<ByteSink>;

const MAX_WAITING_BYTES = 64 * 1024;

/** A pipe between two commands. A write waits while more than 64 KiB are on the way. */
export class Pipe implements ByteSource, ByteSink {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #ended = false;
  #broken = false;
  readonly #news = new WakeSignal();
  readonly #room = new WakeSignal();

  async write(bytes: string | Uint8Array): Promise<void> {
    if (this.#broken) throw new BrokenPipe('no reader');
    if (this.#ended) throw new BrokenPipe('written after its end');
    const buffer = asBuffer(bytes);
    if (buffer.length === 0) return;
    this.#waiting.push(buffer);
    this.#waitingBytes += buffer.length;
    this.#news.wake();
    while (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isBroken()) await this.#room.wait();
    if (this.#isBroken()) throw new BrokenPipe('no reader');
  }

  async read(): Promise<Buffer | undefined> {
    while (this.#waiting.length === 0 && !this.#ended && !this.#broken) await this.#news.wait();
    const next = this.#waiting.shift();
    if (next) this.#waitingBytes -= next.length;
    this.#room.wake();
    return next;
  }

  unread(bytes: Buffer): void {
    this.#waiting.unshift(bytes);
    this.#waitingBytes += bytes.length;
  }

  /** Ends the writing. Waiting data can still be read. */
  end(): void {
    this.#ended = true;
    this.#news.wake();
  }

  /** Ends the reading. */
  break(): void {
    this.#broken = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#news.wake();
    this.#room.wake();
  }

  #isBroken(): boolean {
    return this.#broken;
  }
}

/** A source that takes bytes back. */
export class ReturnableSource implements ByteSource {
  readonly #source: ByteSource;
  #returned: Buffer | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async read(): Promise<Buffer | undefined> {
    const returned = this.#returned;
    this.#returned = undefined;
    return returned ?? this.#source.read();
  }

  unread(bytes: Buffer): void {
    this.#returned = bytes;
  }
}

export const emptySource: ByteSource = { read: async () => undefined };

export const discardSink: ByteSink = { write: async () => undefined };

/** Gathers written data, for `$(...)`. It keeps at most `maxBytes`; more is dropped. Throws OutOfMemory when `memory` is used up. */
export class Gathered implements ByteSink {
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  readonly #maxBytes: number;
  readonly #memory: Reservation | undefined;

  constructor(maxBytes = 4 * 1024 * 1024, memory?: Reservation) {
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  async write(bytes: string | Uint8Array): Promise<void> {
    const buffer = asBuffer(bytes).subarray(0, this.#maxBytes - this.#bytes);
    this.#memory?.grow(buffer.length);
    this.#bytes += buffer.length;
    this.#parts.push(Buffer.from(buffer));
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  text(): string {
    return this.bytes().toString('utf8');
  }
}

export function asBuffer(bytes: string | Uint8Array): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes, 'utf8');
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Reads all of a source. Throws RangeError over 16 MiB, and OutOfMemory when `memory` is used up. */
export async function readAll(source: ByteSource, memory: Reservation): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await source.read(); part; part = await source.read()) {
    bytes += part.length;
    if (bytes > MAX_READ_BYTES) throw new RangeError(`more than ${MAX_READ_BYTES} bytes`);
    memory.grow(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const MAX_READ_BYTES = 16 * 1024 * 1024;
