import { serialize, type Binary } from 'bson';
import { CommandError } from '../values/command-error.js';
import { isDocument, type BsonDocument } from '../values/document.js';
import type { Reply } from '../wire/message.js';
import type { Writer } from './writer.js';

/**
 * Identifies a write that the driver may send a second time because it did not see the reply. The identity is the session, and a number
 * that grows with each write of the session. The second command has the same number as the first.
 */
export interface RetryableWrite {
  readonly session: Buffer;
  readonly number: number;
}

/** Returns the identity of a retryable write from `lsid` and `txnNumber`; undefined without the latter. */
export function retryableWriteIn(body: BsonDocument): RetryableWrite | undefined {
  const number = body['txnNumber'];
  if (number === undefined) return undefined;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
    throw new CommandError('TypeMismatch', 'txnNumber must be a long that is not negative');
  return { session: sessionIdOf(body['lsid']), number };
}

/** Returns the 16 bytes of the UUID in `{id: UUID}`. Throws for any other value. */
export function sessionIdOf(lsid: unknown): Buffer {
  const id = isDocument(lsid) ? (lsid['id'] as Binary | undefined) : undefined;
  if (id?._bsontype !== 'Binary' || id.position !== SESSION_ID_BYTES)
    throw new CommandError('InvalidOptions', 'a session is named by lsid: {id: UUID}');
  return Buffer.from(id.buffer.subarray(0, id.position));
}

/**
 * Does a write, or returns its stored reply if it was done before. The reply is stored in the transaction of the write itself. So a
 * repeated command takes effect once, even after a lost connection, or a crash of the process or the machine. The reply of a write that
 * changed nothing is not stored: doing that write again has the same result.
 */
export function writeOnce(
  writer: Writer,
  { session, number }: RetryableWrite,
  nowMs: number,
  work: () => Reply,
): Reply {
  const noted = writer.sessions.get(session);
  const last = noted?.readDoubleLE(NUMBER_AT) ?? -1;
  if (noted !== undefined && last === number) return Buffer.from(noted.subarray(REPLY_AT));
  if (last > number)
    throw new CommandError('TransactionTooOld', `the session is at write ${last} already, this is write ${number}`);
  const changesBefore = writer.changes;
  const reply = work();
  if (writer.changes === changesBefore) return reply;
  const bytes = reply instanceof Uint8Array ? reply : serialize(reply);
  const note = Buffer.allocUnsafe(REPLY_AT + bytes.length);
  note.writeDoubleLE(number, NUMBER_AT);
  note.writeDoubleLE(nowMs, NOTED_MS_AT);
  note.set(bytes, REPLY_AT);
  writer.sessions.putSync(session, note);
  return bytes;
}

/** Forgets sessions that the driver has ended, which it does when it closes. */
export function endSessions(writer: Writer, sessions: readonly Buffer[]): void {
  for (const session of sessions) writer.sessions.removeSync(session);
}

/** Forgets sessions whose last write was before `beforeMs`: their drivers ended without endSessions. */
export function forgetSessions(writer: Writer, beforeMs: number): void {
  const forgotten = writer.sessions.getRange().filter(({ value }) => value.readDoubleLE(NOTED_MS_AT) < beforeMs);
  for (const { key } of [...forgotten]) writer.sessions.removeSync(key);
}

/** How long drivers keep a session without a command, minutes. `hello` announces it. */
export const SESSION_MINUTES = 30;

const SESSION_ID_BYTES = 16;

/** The offsets in a note of the number of the write, of the time at which it was made, and of its reply. */
const NUMBER_AT = 0;
const NOTED_MS_AT = 8;
const REPLY_AT = 16;
