import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { parseUrl } from '../kit/text/parse-url.js';

/**
 * An HTTP proxy that forwards requests, and a page that is reached through it. Both count requests. If the page counts more than the proxy,
 * a phone bypassed the proxy.
 */
export class CountingProxy {
  /** Requests and tunnels that went through the proxy. */
  forwarded = 0;
  /** Requests that reached the page. */
  seen = 0;
  readonly #address: string;
  readonly #proxy: Server;
  readonly #page: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(address: string) {
    this.#address = address;
    this.#proxy = createServer((incoming, response) => this.#forward(incoming, response));
    this.#proxy.on('connect', (incoming, client) => this.#tunnel(incoming, client));
    this.#proxy.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#page = createServer((_request, response) => {
      this.seen++;
      response.end('check-phones');
    });
  }

  /** Listens at `address`, on free ports. */
  static async start(address: string): Promise<CountingProxy> {
    const counting = new CountingProxy(address);
    for (const server of [counting.#proxy, counting.#page]) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, address, resolve);
      });
    }
    return counting;
  }

  get proxyUrl(): string {
    return `http://${this.#address}:${portOf(this.#proxy)}`;
  }

  get page(): { host: string; port: number } {
    return { host: this.#address, port: portOf(this.#page) };
  }

  /** Ends the proxy and what goes through it; the page stays. */
  async endProxy(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#proxy.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#proxy.listening) await this.endProxy();
    this.#page.closeAllConnections();
    await new Promise<void>((resolve) => this.#page.close(() => resolve()));
  }

  #tunnel(incoming: IncomingMessage, client: Duplex): void {
    this.forwarded++;
    const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(incoming.url ?? '') ?? [];
    const target = connect({ host, port: Number(port) }, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.pipe(client).pipe(target);
    for (const [one, other] of [
      [target, client],
      [client, target],
    ] as const)
      one.on('error', () => other.destroy());
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    this.forwarded++;
    const { method, headers, url = '' } = incoming;
    if (parseUrl(url) === undefined) {
      response.writeHead(400).end();
      return;
    }
    const target = request(url, { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    target.on('error', () => response.destroy());
    incoming.pipe(target);
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
