import type { ObjectId } from 'bson';
import type { Clock } from '../../kit/async/clock.js';
import { CommandError, notSupported } from '../values/command-error.js';
import type { CursorTable } from './cursor-table.js';
import type { Store } from '../store/store.js';
import type { Writer } from '../store/writer.js';
import type { BsonDocument } from '../values/document.js';
import type { Reply } from '../wire/message.js';

/** The server, as commands use it. */
export interface Server {
  readonly store: Store;
  readonly cursors: CursorTable;
  readonly clock: Clock;
  /** The id of this start of the server: drivers notice by it that the server was restarted. */
  readonly processId: ObjectId;
}

/** A command that a client sent. Its fields have been checked against those that the command knows. */
export interface Call {
  readonly server: Server;
  /** The command's own name, as the client wrote it. */
  readonly name: string;
  readonly database: string;
  readonly body: BsonDocument;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  /** The documents sent beside the body, still in bytes. */
  readonly sequences: ReadonlyMap<string, readonly Uint8Array[]>;
  readonly connectionId: number;
  /** Does `work` as Store.write does. If the driver sends the same command again, `work` is not done again. */
  write(work: (writer: Writer) => Reply): Promise<Reply>;
}

export interface Command {
  /** The first is the name; others are older spellings. */
  readonly names: readonly string[];
  /** The fields that the command reads, and the fields that it may ignore because they change nothing here. Other fields are refused. */
  readonly fields: readonly string[] | 'any';
  run(call: Call): Reply | Promise<Reply>;
}

/** Returns `database.collection` for a command whose first field names the collection. */
export function namespaceOf({ database, body, name }: Call): string {
  return namespace(database, body[name]);
}

export function namespace(database: string, collection: unknown): string {
  if (typeof collection !== 'string') throw new CommandError('TypeMismatch', 'the collection name must be a string');
  if (collection === '' || /[$\0]/.test(collection) || collection.startsWith('system.'))
    throw new CommandError('InvalidNamespace', `invalid collection name: '${collection}'`);
  return `${database}.${collection}`;
}

/** Refuses fields of a statement inside a command, such as one of `updates`. */
export function assertOnly(statement: BsonDocument, where: string, allowed: readonly string[]): void {
  for (const name of Object.keys(statement)) if (!allowed.includes(name)) throw unknownField(where, name);
}

export function unknownField(where: string, name: string): CommandError {
  return KNOWN_ELSEWHERE.has(name)
    ? notSupported(`the option '${name}' of ${where}`)
    : new CommandError('IDLUnknownField', `BSON field '${where}.${name}' is an unknown field`);
}

const KNOWN_ELSEWHERE = new Set(
  [
    'allowPartialResults apiDeprecationErrors apiStrict apiVersion arrayFilters autoIndexId awaitData c capped',
    'changeStreamPreAndPostImages clusteredIndex collation constants encryptionInformation explain fields hidden hint let max',
    'maxTimeMS min noCursorTimeout oplogReplay rawData returnKey sampleRate showRecordId size skip sort storageEngine tailable',
    'term timeseries validator viewOn weights wildcardProjection',
  ].flatMap((names) => names.split(' ')),
);
