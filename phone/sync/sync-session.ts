import type { AdbSocket } from '@yume-chan/adb';
import { syncHeader } from '../adb/sync-messages.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { SyncReader, type SyncReaderOptions } from './sync-reader.js';

/** The longest text of a failure that is read, bytes. */
const FAIL_MAX_BYTES = 64 * 1024;

/** The phone refused: the number of its error (STA2, LST2), or its text (FAIL). A result, unlike what makes no sense. */
export class SyncRefusal {
  readonly reason: number | string;

  constructor(reason: number | string) {
    this.reason = reason;
  }
}

/** The versions of the protocol that a phone has. */
export interface SyncFeatures {
  canUse(feature: 'stat_v2' | 'ls_v2'): boolean;
}

/**
 * One stream of a phone's sync service (`sync:`), on which one request follows the other.
 *
 * A phone is not trusted: each length is bounded before anything is read for it, and so is the time in which nothing comes. What makes no
 * sense is thrown as unavailable, and nothing more can be read of the stream then; what the phone refuses is a SyncRefusal.
 */
export class SyncSession {
  readonly features: SyncFeatures;
  readonly reader: SyncReader;
  readonly writer;
  readonly #source;
  readonly #doing: string;

  constructor(socket: AdbSocket, features: SyncFeatures, options: SyncReaderOptions) {
    this.features = features;
    this.#source = socket.readable.getReader();
    this.reader = new SyncReader(this.#source, options);
    this.writer = socket.writable.getWriter();
    this.#doing = options.doing;
  }

  async request(id: string, path: string): Promise<void> {
    await this.reader.within(this.writer.write(syncRequest(id, path)));
  }

  /** Reads the text of a failure, whose header was read. */
  async failure(length: number): Promise<SyncRefusal> {
    if (length > FAIL_MAX_BYTES) throw this.nonsense();
    return new SyncRefusal((await this.reader.exactly(length)).toString('utf8'));
  }

  nonsense(): Error {
    return phoneUnavailable(`The phone sent something that makes no sense when it was to ${this.#doing}.`);
  }

  /** Takes no more of what the phone sends. */
  end(): void {
    void this.#source.cancel().catch(() => undefined);
  }
}

export function syncRequest(id: string, path: string): Buffer {
  const bytes = Buffer.from(path, 'utf8');
  return Buffer.concat([syncHeader.write({ id, length: bytes.length }), bytes]);
}
