import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { deserialize, serialize } from 'bson';
import type { BsonDocument } from '../embedded-mongo/values/document.js';
import { buildReply, HEADER_BYTES, parseMessage, type Request } from '../embedded-mongo/wire/message.js';
import { databaseAddress } from './database-address.js';
import { onMessage } from './database-messages.js';

/** What a front does with a command: answers it, or hands it on without one of its fields, with a change of its reply. */
export interface Treatment {
  answer?: BsonDocument;
  without?: string;
  changeReply?: (reply: BsonDocument) => BsonDocument;
}

const RESPONSE_TO_AT = 8;
const OP_MSG = 2013;
/** Types are kept as they come, as what is decoded is encoded again. */
const EXACT = { promoteValues: false, promoteLongs: false, promoteBuffers: false } as const;

/**
 * Stands before the embedded database as a server that has what the embedded one lacks. `treat` gets each command with its connection;
 * undefined hands it on as it is.
 */
export class DatabaseFront {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(url: string, treat: (body: BsonDocument, connection: Socket) => Treatment | undefined) {
    this.#server = createServer((driver) => this.#join(driver, databaseAddress(url), treat));
  }

  static async open(
    url: string,
    treat: (body: BsonDocument, connection: Socket) => Treatment | undefined,
  ): Promise<DatabaseFront> {
    const front = new DatabaseFront(url, treat);
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  /** Returns a connection string, with a login where one is given. */
  url(login = '', options = ''): string {
    const at = login === '' ? '' : `${login}@`;
    return `mongodb://${at}127.0.0.1:${(this.#server.address() as AddressInfo).port}/?directConnection=true${options}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(
    driver: Socket,
    address: { path: string },
    treat: (body: BsonDocument, connection: Socket) => Treatment | undefined,
  ): void {
    const database = connect(address);
    const changes = new Map<number, (reply: BsonDocument) => BsonDocument>();
    for (const socket of [driver, database]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        driver.destroy();
        database.destroy();
      });
    }
    onMessage(driver, (message) => {
      const request = parseMessage(message);
      const { answer, without, changeReply } = treat(request.body, driver) ?? {};
      if (answer !== undefined) {
        driver.write(buildReply(request, answer, 0));
        return;
      }
      if (changeReply !== undefined) changes.set(request.id, changeReply);
      database.write(without === undefined ? message : messageOf(request, without));
    });
    onMessage(database, (message) => {
      const id = message.readInt32LE(RESPONSE_TO_AT);
      const change = changes.get(id);
      changes.delete(id);
      if (change === undefined) driver.write(message);
      else driver.write(buildReply({ id, legacy: false }, change(bodyOf(message)), 0));
    });
  }
}

function bodyOf(message: Buffer): BsonDocument {
  return deserialize(message.subarray(HEADER_BYTES + 5), EXACT);
}

/** Returns a command without one of its fields. It has no sequences, as reads have none. */
function messageOf({ id, bytes }: Request, without: string): Buffer {
  const fields = Object.entries(deserialize(bytes, EXACT)).filter(([name]) => name !== without);
  const document = serialize(Object.fromEntries(fields));
  const head = Buffer.alloc(HEADER_BYTES + 5);
  [head.length + document.length, id, 0, OP_MSG].forEach((field, at) => head.writeInt32LE(field, at * 4));
  return Buffer.concat([head, document]);
}
