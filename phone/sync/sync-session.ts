import type { AdbSocket } from '@yume-chan/adb';
import { syncHeader } from '../adb/sync-messages.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { SyncReader, type SyncReaderOptions } from './sync-reader.js';

/** The longest text of a failure that is read, bytes. */
const MAX_FAIL_BYTES = 64 * 1024;

/** A phone's refusal: the number of its error (STA2, LST2), or its text (FAIL). It is returned; only malformed data is thrown. */
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
 * A phone is not trusted: each length is checked before that many bytes are read, and each wait for bytes has a limit. Malformed data is
 * thrown as unavailable, and the stream cannot be read any further. A refusal of the phone is returned as a SyncRefusal.
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
    if (length > MAX_FAIL_BYTES) throw this.nonsense();
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
