import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { systemClock } from '../../kit/async/clock.js';
import type { BsonDocument } from '../../embedded-mongo/values/document.js';
import { onMessage } from '../../testing/database-messages.js';
import { buildReply, parseMessage, type Request } from '../../embedded-mongo/wire/message.js';

/**
 * The faults that can happen to a command on its way:
 *
 * - `reset before`: the connection is reset, the database never sees the command
 * - `reset after`: the database has done the command, the connection is reset before its reply
 * - `reset in reply`: half of the reply arrives, then the connection is reset
 * - `not primary`: the reply is the error NotWritablePrimary (10107), the database never sees the command
 * - `write concern failed`: the database has done the command, its reply says that no majority has it (64)
 * - `hang`: the database never sees the command, and nothing comes back on this connection any more
 * - `{ delayMs }`: the command goes on that much later
 */
export type Fault =
  | 'reset before'
  | 'reset after'
  | 'reset in reply'
  | 'not primary'
  | 'write concern failed'
  | 'hang'
  | { readonly delayMs: number };

/** The commands that a fault is for. */
export interface Commands {
  /** Such as `findAndModify`; every command except the driver's own `hello` when absent. */
  readonly name?: string;
  /** Commands on this collection only. */
  readonly collection?: string;
  /** How many such commands pass first; default 0. */
  readonly skip?: number;
  /** How many have the fault after that; default 1. */
  readonly times?: number;
}

/** A fault that was ordered. */
export interface OrderedFault {
  /** To how many commands it has happened. */
  readonly met: number;
  /** Resolves when it has happened to all of its commands. */
  readonly done: Promise<void>;
  /** It happens to no further command. */
  cancel(): void;
}

interface Order extends Commands {
  readonly fault: Fault;
  skip: number;
  left: number;
  met: number;
  finish: () => void;
}

/** One connection of the driver, and its counterpart to the database. */
interface Pair {
  readonly driver: Socket;
  readonly database: Socket;
}

/**
 * Stands between the driver and a database, and makes the network and the database fail as ordered. A service under test has `url` as its
 * MONGODB_URL. Everything passes unchanged until something is ordered.
 */
export class DatabaseProxy {
  readonly #target: NetConnectOpts;
  readonly #port: number;
  #listener: Server | undefined;
  #frozen: { thawed: Promise<void>; thaw: () => void } | undefined;
  readonly #pairs = new Set<Pair>();
  readonly #orders = new Set<Order>();
  readonly #seen = new Map<string, number>();

  private constructor(target: NetConnectOpts, port: number) {
    this.#target = target;
    this.#port = port;
  }

  /** @param databaseUrl of the database itself: one address, of TCP or of a Unix socket */
  static async open(databaseUrl: string): Promise<DatabaseProxy> {
    for (;;) {
      const proxy = new DatabaseProxy(addressIn(databaseUrl), portBelowEphemeral());
      try {
        await proxy.comeBack();
        return proxy;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  /** For the driver. */
  get url(): string {
    return `mongodb://127.0.0.1:${this.#port}/?directConnection=true`;
  }

  /** How many connections the driver has. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** How many commands of this name have come, with a fault or without. */
  seen(name: string): number {
    return this.#seen.get(name) ?? 0;
  }

  /** Orders a fault for the next commands that fit. Each command has one fault, the one ordered first. */
  order(fault: Fault, commands: Commands = {}): OrderedFault {
    let finish = (): void => undefined;
    const done = new Promise<void>((resolve) => (finish = resolve));
    const order: Order = { ...commands, fault, skip: commands.skip ?? 0, left: commands.times ?? 1, met: 0, finish };
    this.#orders.add(order);
    return {
      get met() {
        return order.met;
      },
      done,
      cancel: () => this.#orders.delete(order),
    };
  }

  /** Takes back every order. */
  cancelAll(): void {
    this.#orders.clear();
  }

  /** Resets every connection at once; new ones are taken. */
  cutAll(): void {
    for (const pair of this.#pairs) this.#cut(pair);
  }

  /** Refuses connections and resets those there are, until `comeBack`. */
  async goAway(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    const closed = listener && new Promise((resolve) => listener.close(resolve));
    this.cutAll();
    await closed;
  }

  async comeBack(): Promise<void> {
    if (this.#listener !== undefined) return;
    const listener = createServer((driver) => this.#join(driver));
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#listener = listener;
  }

  async goAwayFor(ms: number): Promise<void> {
    await this.goAway();
    await systemClock.sleep(ms);
    await this.comeBack();
  }

  /** Takes connections and bytes but passes nothing on, in either direction, as when the database is stopped (SIGSTOP). */
  freeze(): void {
    if (this.#frozen !== undefined) return;
    let thaw = (): void => undefined;
    const thawed = new Promise<void>((resolve) => (thaw = resolve));
    this.#frozen = { thawed, thaw };
  }

  /** Lets everything go on that was held since `freeze`. */
  thaw(): void {
    this.#frozen?.thaw();
    this.#frozen = undefined;
  }

  async close(): Promise<void> {
    this.thaw();
    await this.goAway();
  }

  #join(driver: Socket): void {
    const pair = { driver, database: connect(this.#target) };
    const { database } = pair;
    this.#pairs.add(pair);
    for (const socket of [driver, database]) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        driver.destroy();
        database.destroy();
      });
    }
    /** The fault for the reply to a request, by the request's id. */
    const replies = new Map<number, (reply: Buffer) => void>();
    inTurn(driver, async (message) => {
      await this.#frozen?.thawed;
      await this.#forward(message, pair, replies);
    });
    inTurn(database, async (message) => {
      await this.#frozen?.thawed;
      const id = message.readInt32LE(RESPONSE_TO_AT);
      const take = replies.get(id);
      replies.delete(id);
      if (take === undefined) driver.write(message);
      else take(message);
    });
  }

  async #forward(message: Buffer, pair: Pair, replies: Map<number, (reply: Buffer) => void>): Promise<void> {
    const { driver, database } = pair;
    const request = parseMessage(message);
    const fault = this.#faultFor(request);
    switch (fault) {
      case undefined:
        database.write(message);
        return;
      case 'reset before':
        this.#cut(pair);
        return;
      case 'reset after':
        replies.set(request.id, () => this.#cut(pair));
        database.write(message);
        return;
      case 'reset in reply':
        replies.set(request.id, (reply) => {
          driver.write(reply.subarray(0, reply.length >> 1), () => this.#cut(pair));
        });
        database.write(message);
        return;
      case 'not primary':
        driver.write(buildReply(request, notPrimary(request), 0));
        return;
      case 'write concern failed':
        replies.set(request.id, (reply) => {
          const { body } = parseMessage(reply);
          driver.write(buildReply(request, { ...body, writeConcernError: WRITE_CONCERN_FAILED }, 0));
        });
        database.write(message);
        return;
      case 'hang':
        await new Promise((resolve) => driver.once('close', resolve));
        return;
      default:
        await systemClock.sleep(fault.delayMs);
        database.write(message);
    }
  }

  #cut(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.driver.resetAndDestroy();
    pair.database.destroy();
  }

  #faultFor(request: Request): Fault | undefined {
    const [name = ''] = Object.keys(request.body);
    this.#seen.set(name, this.seen(name) + 1);
    for (const order of this.#orders) {
      if (order.name === undefined ? isHello(name) : order.name !== name) continue;
      if (order.collection !== undefined && order.collection !== request.body[name]) continue;
      if (order.skip-- > 0) continue;
      order.met++;
      if (--order.left === 0) {
        this.#orders.delete(order);
        order.finish();
      }
      return order.fault;
    }
    return undefined;
  }
}

const RESPONSE_TO_AT = 8;

const isHello = (name: string): boolean => /^(hello|isMaster)$/i.test(name);

/** Returns the reply of a secondary. The server gives the label to writes that were sent as retryable. */
function notPrimary({ body }: Request): BsonDocument {
  return {
    ok: 0,
    errmsg: 'not primary',
    code: 10_107,
    codeName: 'NotWritablePrimary',
    ...(body['txnNumber'] !== undefined && { errorLabels: ['RetryableWriteError'] }),
  };
}

const WRITE_CONCERN_FAILED: BsonDocument = {
  code: 64,
  codeName: 'WriteConcernFailed',
  errmsg: 'waiting for replication timed out',
  errInfo: { wtimeout: true },
};

/** Calls `take` with each message that comes, one after the other: each may have to wait. */
function inTurn(socket: Socket, take: (message: Buffer) => Promise<void>): void {
  let before = Promise.resolve();
  onMessage(socket, (message) => {
    before = before.then(() => (socket.destroyed ? undefined : take(message)));
  });
}

function addressIn(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: host } : { host, port: Number(port) };
}

/** A port that the system gives to nobody by itself, so that it is still free when the proxy comes back to it. */
function portBelowEphemeral(): number {
  return 20_000 + Math.floor(Math.random() * 12_000);
}
