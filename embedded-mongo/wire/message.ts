import { serialize } from 'bson';
import { decode } from '../values/bson.js';
import type { BsonDocument } from '../values/document.js';

/** The header of every message: length, request id, response to, opcode; four little-endian int32. */
export const HEADER_BYTES = 16;

/** MongoDB's limit for a message, announced to drivers in hello. Longer ones end the connection. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const CHECKSUM_PRESENT = 1 << 0;
const MORE_TO_COME = 1 << 1;
const EXHAUST_ALLOWED = 1 << 16;
/** Unknown flags among the first 16 must be refused; the others are ignored. */
const REQUIRED_FLAGS = 0xffff;

/** One request. The documents of kind-1 sections are decoded only when a command needs them. */
export interface Request {
  readonly id: number;
  /** OP_QUERY, which drivers use for their first hello only, gets an OP_REPLY. */
  readonly legacy: boolean;
  /** Whether the client accepts a chain of replies, each one a response to the reply before. */
  readonly exhaustAllowed: boolean;
  /** Whether the client wants no reply. */
  readonly withoutReply: boolean;
  readonly body: BsonDocument;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  readonly sequences: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** Thrown for bytes that are not the protocol. The start of the next message is unknown then, so the connection ends. */
export class MalformedMessageError extends Error {
  override readonly name = 'MalformedMessageError';
}

/** @param message one whole message, header included */
export function parseMessage(message: Buffer): Request {
  const opcode = message.readInt32LE(12);
  switch (opcode) {
    case OP_MSG:
      return parseOpMsg(message);
    case OP_QUERY:
      return parseOpQuery(message);
    default:
      throw new MalformedMessageError(`opcode ${opcode} is not supported`);
  }
}

function parseOpMsg(message: Buffer): Request {
  const flags = message.readUInt32LE(HEADER_BYTES);
  if ((flags & REQUIRED_FLAGS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) !== 0)
    throw new MalformedMessageError(`unknown OP_MSG flags ${flags}`);
  const end = message.length - ((flags & CHECKSUM_PRESENT) === 0 ? 0 : 4);
  let body: BsonDocument | undefined;
  let bytes: Uint8Array | undefined;
  const sequences = new Map<string, Uint8Array[]>();
  for (let at = HEADER_BYTES + 4; at < end;) {
    const kind = message[at];
    const section = sized(message, at + 1, end);
    at += 1 + section.length;
    if (kind === 0 && body === undefined) {
      bytes = section;
      body = decodeOrRefuse(section);
    } else if (kind === 1) {
      const [name, documents] = parseSequence(section);
      if (sequences.has(name)) throw new MalformedMessageError(`two sections are named ${name}`);
      sequences.set(name, documents);
    } else throw new MalformedMessageError(`unexpected section of kind ${kind ?? 'none'}`);
  }
  if (body === undefined || bytes === undefined) throw new MalformedMessageError('a message without a body');
  const exhaustAllowed = (flags & EXHAUST_ALLOWED) !== 0;
  const withoutReply = (flags & MORE_TO_COME) !== 0;
  // A driver that closes sends endSessions without awaiting a reply. Any other such command could fail without anyone being notified.
  if (withoutReply && !('endSessions' in body))
    throw new MalformedMessageError('unacknowledged writes (w: 0) are not supported by the embedded server');
  return { id: message.readInt32LE(4), legacy: false, exhaustAllowed, withoutReply, body, bytes, sequences };
}

/** A kind-1 section: length, a name that ends in 00, then documents. */
function parseSequence(section: Buffer): [string, Uint8Array[]] {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd === -1) throw new MalformedMessageError('a section without the end of its name');
  const documents: Uint8Array[] = [];
  for (let at = nameEnd + 1; at < section.length;) {
    const document = sized(section, at, section.length);
    documents.push(document);
    at += document.length;
  }
  return [section.toString('utf8', 4, nameEnd), documents];
}

/** Parses an OP_QUERY: flags, collection name, skip, limit, then the command. */
function parseOpQuery(message: Buffer): Request {
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  if (nameEnd === -1) throw new MalformedMessageError('a query without the end of its collection name');
  const name = message.toString('utf8', HEADER_BYTES + 4, nameEnd);
  if (!name.endsWith('.$cmd')) throw new MalformedMessageError('OP_QUERY is supported for commands only');
  const bytes = sized(message, nameEnd + 9, message.length);
  const command = { ...decodeOrRefuse(bytes), $db: name.slice(0, -'.$cmd'.length) };
  return {
    id: message.readInt32LE(4),
    legacy: true,
    exhaustAllowed: false,
    withoutReply: false,
    body: command,
    bytes,
    sequences: new Map(),
  };
}

/**
 * Returns the part of `bytes` that begins at `at` with its own length. It has at least that length and one byte more, as a document has.
 */
function sized(bytes: Buffer, at: number, end: number): Buffer {
  const length = at + 5 <= end ? bytes.readInt32LE(at) : -1;
  if (length < 5 || at + length > end) throw new MalformedMessageError(`a length of ${length} at byte ${at}`);
  return bytes.subarray(at, at + length);
}

function decodeOrRefuse(bytes: Buffer): BsonDocument {
  try {
    return decode(bytes);
  } catch (error) {
    throw new MalformedMessageError('the command is not BSON', { cause: error });
  }
}

/** A reply: a document, or one already in bytes. */
export type Reply = BsonDocument | Uint8Array;

/** @param moreToCome whether another reply follows this one */
export function buildReply(
  request: Pick<Request, 'id' | 'legacy'>,
  reply: Reply,
  replyId: number,
  moreToCome = false,
): Buffer {
  const document = reply instanceof Uint8Array ? reply : serialize(reply);
  // OP_REPLY: flags, cursor id in 8 bytes, starting from, number returned. OP_MSG: flags, then a section of kind 0.
  const before = request.legacy ? 20 : 5;
  const message = Buffer.alloc(HEADER_BYTES + before);
  message.writeInt32LE(HEADER_BYTES + before + document.length, 0);
  message.writeInt32LE(replyId, 4);
  message.writeInt32LE(request.id, 8);
  message.writeInt32LE(request.legacy ? OP_REPLY : OP_MSG, 12);
  if (request.legacy) message.writeInt32LE(1, HEADER_BYTES + 16);
  else if (moreToCome) message.writeUInt32LE(MORE_TO_COME, HEADER_BYTES);
  return Buffer.concat([message, document]);
}
