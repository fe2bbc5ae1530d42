import { CommandError, notSupported } from './values/command-error.js';
import { unknownField, type Server } from './commands/command.js';
import { commands } from './commands/index.js';
import { retryableWriteIn, writeOnce } from './store/retried-writes.js';
import type { Writer } from './store/writer.js';
import { isDocument, type BsonDocument } from './values/document.js';
import type { Reply, Request } from './wire/message.js';

/**
 * Runs the command that a request names in its first field. Every other field must be known to the command, or allowed in any command. So
 * nothing that a client relies on is ignored silently. Throws CommandError for errors that the client receives.
 */
export async function dispatch(server: Server, request: Request, connectionId: number): Promise<Reply> {
  const { body, bytes, sequences } = request;
  const [name] = Object.keys(body);
  const command = name === undefined ? undefined : commands.get(name);
  if (name === undefined || command === undefined)
    throw new CommandError('CommandNotFound', `no such command: '${name ?? ''}'`);
  const database = databaseOf(body);
  for (const field of [...Object.keys(body), ...sequences.keys()]) {
    const known = field === name || command.fields === 'any' || command.fields.includes(field);
    if (!known) assertGeneric(name, field, body[field]);
  }
  const retryable = retryableWriteIn(body);
  const write = (work: (writer: Writer) => Reply): Promise<Reply> =>
    server.store.write((writer) =>
      retryable === undefined ? work(writer) : writeOnce(writer, retryable, server.clock.now(), () => work(writer)),
    );
  return command.run({ server, name, database, body, bytes, sequences, connectionId, write });
}

function databaseOf(body: BsonDocument): string {
  const database = body['$db'];
  if (typeof database !== 'string' || database === '' || database.length > 63 || /[/\\. "$\0]/.test(database))
    throw new CommandError('InvalidNamespace', `invalid database name: '${String(database)}'`);
  return database;
}

/** Throws unless a field is one that any command may carry. */
function assertGeneric(command: string, field: string, value: unknown): void {
  switch (field) {
    case '$db':
    case 'comment':
    case 'lsid': // identifies a retryable write together with txnNumber, and means nothing alone
    case '$clusterTime':
    case '$readPreference': // a single server satisfies every preference
      return;
    case 'writeConcern':
      assertWriteConcern(value);
      return;
    case 'readConcern':
      throw notSupported(`the read concern ${JSON.stringify(value)}`);
    case 'txnNumber':
    case 'startTransaction':
    case 'autocommit':
      throw notSupported(`transactions (${field} of ${command})`);
    default:
      throw unknownField(command, field);
  }
}

/** Accepts `w: 1` and `w: 'majority'`. With a single server they mean the same: an acknowledged write is on its disk. */
function assertWriteConcern(value: unknown): void {
  const { w = 1, ...others } = isDocument(value) ? value : { w: undefined, unknown: value };
  const known = Object.keys(others).every((name) => ['j', 'wtimeout', 'fsync', 'journal'].includes(name));
  if ((w !== 1 && w !== 'majority') || !known) throw notSupported(`the write concern ${JSON.stringify(value)}`);
}
