import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { decode } from '../../embedded-mongo/values/bson.js';
import type { BsonDocument } from '../../embedded-mongo/values/document.js';
import { parseMessage } from '../../embedded-mongo/wire/message.js';
import { onMessage } from '../../testing/database-messages.js';
import type { Killer, Way } from './kill-points.js';

/** A call of the device service to its database that is on a job's way. */
interface Call {
  way: Way;
  /** Jobs that it accepts. */
  accepts: string[];
  /** Health events that it writes. */
  writes: string[];
}

/**
 * Stands between the device service and its database, and hands every message on, unless the service is killed at it. The
 * acknowledged writes of jobs and events are noted, whether the service lived to see it or not.
 */
export class DatabaseGate {
  readonly acceptedJobs = new Set<string>();
  readonly deviceEvents = new Set<string>();
  readonly #server: Server;
  readonly #database: NetConnectOpts;
  readonly #killer: Killer;

  private constructor(database: NetConnectOpts, killer: Killer) {
    this.#database = database;
    this.#killer = killer;
    this.#server = createServer((socket) => this.#join(socket));
  }

  static async open(database: NetConnectOpts, killer: Killer): Promise<DatabaseGate> {
    const gate = new DatabaseGate(database, killer);
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.#server.address() as AddressInfo).port}/?directConnection=true`;
  }

  close(): void {
    this.#server.close();
  }

  #join(service: Socket): void {
    const database = connect(this.#database);
    const calls = new Map<number, Call | undefined>();
    let gone = false;
    service.on('close', () => {
      gone = true;
      // Its command is run all the same, and noted.
      if (calls.size === 0) database.destroy();
    });
    database.on('close', () => service.destroy());
    for (const socket of [service, database]) socket.on('error', () => socket.destroy());
    inTurn(service, async (message) => {
      const call = callIn(message);
      if (call !== undefined && !(await this.#killer.pass(`${call.way}, asked`))) return;
      calls.set(message.readInt32LE(REQUEST_ID_AT), call);
      database.write(message);
    });
    inTurn(database, async (message) => {
      const id = message.readInt32LE(RESPONSE_TO_AT);
      const call = calls.get(id);
      if (call !== undefined && succeeded(parseMessage(message).body)) {
        for (const job of call.accepts) this.acceptedJobs.add(job);
        for (const event of call.writes) this.deviceEvents.add(event);
        await this.#killer.pass(`${call.way}, done`);
      }
      calls.delete(id);
      if (!gone) service.write(message);
      else if (calls.size === 0) database.destroy();
    });
  }
}

const REQUEST_ID_AT = 4;
const RESPONSE_TO_AT = 8;

/** Calls `take` with each message that comes, one after the other. */
function inTurn(socket: Socket, take: (message: Buffer) => Promise<void>): void {
  let before = Promise.resolve();
  onMessage(socket, (message) => {
    before = before.then(() => take(message));
  });
}

/** Whether a write changed something. */
function succeeded(reply: BsonDocument): boolean {
  return reply['ok'] === 1 && (reply['n'] === undefined ? reply['value'] !== null : reply['n'] !== 0);
}

function callIn(message: Buffer): Call | undefined {
  const { body, sequences } = parseMessage(message);
  const [command = ''] = Object.keys(body);
  const list = (name: string): BsonDocument[] =>
    sequences.get(name)?.map(decode) ?? (body[name] as BsonDocument[] | undefined) ?? [];
  const call = (way: Way, { accepts = [], writes = [] }: Partial<Call> = {}): Call => ({ way, accepts, writes });
  switch (`${command} ${String(body[command])}`) {
    case 'insert devices':
      return call('accept', { accepts: list('documents').map((device) => String(at(device, 'job', 'id'))) });
    case 'insert jobs':
      return call('file');
    case 'delete devices':
      return call('forget');
    case 'update jobs':
      return call('mark published');
    case 'update devices':
      return deviceUpdate(list('updates').map((update) => update['u'] as BsonDocument));
    case 'findAndModify devices':
      return deviceUpdate([body['update'] as BsonDocument]);
    default:
      return undefined;
  }

  function deviceUpdate([update = {}]: BsonDocument[]): Call | undefined {
    const written = at(update, '$push', 'deviceEvents', '$each') as { id: string; type: string }[] | undefined;
    const health = (written ?? []).filter(({ type }) => type !== 'device.state');
    if (health.length > 0) return call('problem', { writes: health.map(({ id }) => id) });
    const job = at(update, '$set', 'job') as { id: string } | undefined;
    if (job !== undefined) return call('accept', { accepts: [job.id] });
    if (at(update, '$inc', 'job.takeovers') !== undefined) return call('take over');
    if (at(update, '$push', 'finished') !== undefined) return call('finish');
    if (at(update, '$set', 'job.progress') !== undefined) return call('note progress');
    if (at(update, '$pull', 'deviceEvents') !== undefined) return call('mark health published');
    if (at(update, '$pull', 'finished') !== undefined) return call('forget');
    if (command === 'findAndModify' && at(update, '$set', 'state') !== undefined) return call('change');
    return undefined;
  }
}

function at(document: BsonDocument, ...path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as BsonDocument | undefined)?.[name], document);
}
