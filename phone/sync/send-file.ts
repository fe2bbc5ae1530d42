import { begunAhead } from '../../kit/async/begun-ahead.js';
import { MAX_SYNC_DATA_BYTES, syncHeader } from '../adb/sync-messages.js';
import { type SyncRefusal, type SyncSession, syncRequest } from './sync-session.js';

/** Bytes of a file that are sent at a time; as many are collected meanwhile. */
const WRITE_BYTES = 512 * 1024;

const REGULAR_FILE = 0o100000;

export interface SendFileOptions {
  /** Permission bits. */
  permissions: number;
  mtimeS: number;
  /** How long the phone may take from the end of the file to its response, ms. */
  finishMs: number;
  /** Called when all of the file was sent: from then on the phone alone decides whether it is there. */
  onSent: () => void;
}

/**
 * Writes a file from `source`, which is read no faster than the phone takes it. Returns the phone's refusal, which may come in the middle:
 * then the rest of `source` is not read.
 */
export async function sendFile(
  session: SyncSession,
  path: string,
  source: AsyncIterable<Uint8Array>,
  { permissions, mtimeS, finishMs, onSent }: SendFileOptions,
): Promise<SyncRefusal | undefined> {
  const outcome = begunAhead(outcomeOf(session));
  const writes = new Writes(session, outcome);
  writes.add(syncRequest('SEND', `${path},${REGULAR_FILE | permissions}`));
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += MAX_SYNC_DATA_BYTES) {
      const { buffer, byteOffset, byteLength } = chunk.subarray(at, at + MAX_SYNC_DATA_BYTES);
      writes.add(syncHeader.write({ id: 'DATA', length: byteLength }), Buffer.from(buffer, byteOffset, byteLength));
    }
    await writes.haveRoom();
    if (writes.isRefused) break;
  }
  await writes.done();
  if (writes.isRefused) {
    const refusal = await outcome;
    // The phone has accepted a file that is not whole.
    if (refusal === undefined) throw session.nonsense();
    return refusal;
  }
  onSent();
  writes.add(syncHeader.write({ id: 'DONE', length: mtimeS }));
  await writes.done();
  return session.reader.within(outcome, finishMs);
}

/** Returns what the phone responds to a file, at the end of the file or when the phone refuses the rest. */
async function outcomeOf(session: SyncSession): Promise<SyncRefusal | undefined> {
  const { id, length } = syncHeader.read(await session.reader.exactly(syncHeader.sizeBytes, Infinity));
  if (id === 'FAIL') return session.failure(length);
  if (id !== 'OKAY') throw session.nonsense();
  return undefined;
}

/** Sends what is added, one write at a time: what comes meanwhile is collected for the next. */
class Writes {
  readonly #session: SyncSession;
  readonly #refused: Promise<void>;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** The phone has responded, or broken off. */
  isRefused = false;

  constructor(session: SyncSession, outcome: Promise<unknown>) {
    this.#session = session;
    const onOutcome = (): void => void (this.isRefused = true);
    this.#refused = outcome.then(onOutcome, onOutcome);
  }

  add(...parts: Buffer[]): void {
    this.#waiting.push(...parts);
    for (const { length } of parts) this.#waitingBytes += length;
    if (this.#writing === undefined) this.#write();
  }

  /** Resolves when more may be added. Throws timeout when the phone takes nothing. */
  async haveRoom(): Promise<void> {
    while (this.#waitingBytes >= WRITE_BYTES && !this.isRefused) await this.#writing;
  }

  /** Resolves when all is sent, or refused. */
  async done(): Promise<void> {
    while (this.#writing !== undefined && !this.isRefused) await this.#writing;
  }

  #write(): void {
    const parts = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const { reader, writer } = this.#session;
    // A write fails when the phone has ended the stream. The reason is then the phone's response, or the lack of one.
    const sent = begunAhead(
      Promise.race([writer.write(Buffer.concat(parts)).catch(() => this.#refused), this.#refused]),
    );
    this.#writing = begunAhead(
      reader.within(sent).then(() => {
        this.#writing = undefined;
        if (this.#waiting.length > 0 && !this.isRefused) this.#write();
      }),
    );
  }
}
