import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as a receiver got it. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** performance.now() when its headers had come. */
  atMs: number;
}

/** A receiver's handling of a request whose body it has read. */
export type Behaviour = (request: Received, response: ServerResponse, socket: Socket) => void;

export const respondWith =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end();
  };

export const hang: Behaviour = () => undefined;

/** A receiver of webhooks on loopback. */
export class Receiver {
  readonly received: Received[] = [];
  behave: Behaviour = respondWith(204);
  /** TCP connections that were opened to it. */
  connections = 0;
  readonly #server: Server;
  readonly #scheme: string;
  readonly #sockets = new Set<Socket>();
  #waiting: { count: number; resolve: () => void }[] = [];

  /** `tls`: serves https with this certificate. */
  constructor(tls?: { key: string; cert: string }) {
    const listener = (request: IncomingMessage, response: ServerResponse): void => void this.#take(request, response);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
    });
  }

  async listen(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `${this.#scheme}://127.0.0.1:${this.port}${path}`;
  }

  /** Resolves when `count` requests have come in all. */
  async until(count: number): Promise<void> {
    if (this.received.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the sender broke off; an unfinished request was not received
    }
    const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks), atMs };
    this.received.push(received);
    this.behave(received, response, request.socket);
    const { length } = this.received;
    for (const { count, resolve } of this.#waiting) if (count <= length) resolve();
    this.#waiting = this.#waiting.filter(({ count }) => count > length);
  }
}
