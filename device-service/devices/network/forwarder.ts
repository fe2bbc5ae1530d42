import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { chmodSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../../kit/log/log.js';
import { parseUrl } from '../../../kit/text/parse-url.js';
import { EXIT_FAULT_HEADER, EXIT_FAULT_STATUS } from '../../../phone/exit-fault.js';
import { ADDRESS_HOST } from './address-page.js';
import type { Upstream } from './upstream.js';
import { type Target, type WayOut, WayOutError } from './way-out.js';

export interface ForwarderOptions {
  /** The Unix socket that the phone connects to. */
  path: string;
  /** Returns the present upstream; called for each connection. */
  upstream: () => Upstream;
  way: WayOut;
  log: Log;
}

/**
 * The only way out for a phone's traffic. It is an HTTP proxy on a Unix socket of the host, which sends each request and tunnel on by the
 * phone's exit. With no exit, or an exit that cannot be reached, requests are refused. The host's own connection never replaces a proxy.
 * A phone whose forwarder is gone (the service is down) has no network.
 *
 * Bodies are streamed both ways at the pace of the slower side. When the connection of one side ends, the other one is ended.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#request(request, response));
    this.#server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
      void this.#tunnel(request.url ?? '', client, head);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens on the socket. A socket file that a killed process left is replaced, as one service at a time uses the data folder. */
  static async listen(options: ForwarderOptions): Promise<Forwarder> {
    const forwarder = new Forwarder(options);
    rmSync(options.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      forwarder.#server.once('error', reject);
      forwarder.#server.listen(options.path, resolve);
    });
    // Without a listener, an error such as a lack of file descriptors would end the process.
    forwarder.#server.on('error', (error) => options.log.error({ err: error }, 'a forwarder failed'));
    chmodSync(options.path, 0o600);
    // A phone that runs must not keep the process alive.
    forwarder.#server.unref();
    return forwarder;
  }

  /** Ends every connection, so that no traffic goes on through an earlier exit. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }

  async #request(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = endOf(response);
    try {
      const url = parseUrl(request.url ?? '');
      if (url?.protocol !== 'http:') {
        response.writeHead(400).end('This is a proxy: http URLs and CONNECT only.\n');
        return;
      }
      const upstream = this.#options.upstream();
      if (upstream.kind === 'straight' && upstream.pretends !== undefined && url.hostname === ADDRESS_HOST) {
        response.writeHead(200, { 'content-type': 'text/plain' }).end(upstream.pretends);
        return;
      }
      const reply = await this.#options.way.request(
        upstream,
        {
          ...targetOf(url, 80),
          method: request.method ?? 'GET',
          path: `${url.pathname}${url.search}`,
          headers: { ...passedOn(request.headers), host: url.host },
        },
        ended,
        // If the body fails, the client has ended, which `ended` reports.
        (outgoing) => void pipeline(request, outgoing).catch(() => undefined),
      );
      response.writeHead(reply.statusCode ?? 502, passedOn(reply.headers));
      // When the reply breaks off, the phone's connection is ended early too.
      await pipeline(reply, response).catch(() => response.destroy());
    } catch (error) {
      const fault = this.#faultOf(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(EXIT_FAULT_STATUS[fault], { [EXIT_FAULT_HEADER]: fault }).end();
    }
  }

  async #tunnel(authority: string, client: Duplex, head: Buffer): Promise<void> {
    const ended = endOf(client);
    try {
      const url = parseUrl(`tunnel://${authority}`);
      if (url === undefined || url.port === '') throw new WayOutError('refused', 'CONNECT names no host and port');
      const { way, upstream } = this.#options;
      const socket = await way.tunnel(upstream(), targetOf(url, 0), ended);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) socket.write(head);
      client.on('error', () => socket.destroy());
      client.once('close', () => socket.destroy());
      socket.once('close', () => client.destroy());
      client.pipe(socket).pipe(client);
    } catch (error) {
      const fault = this.#faultOf(error);
      client.end(`HTTP/1.1 ${EXIT_FAULT_STATUS[fault]} ${fault}\r\n${EXIT_FAULT_HEADER}: ${fault}\r\n\r\n`);
    }
  }

  #faultOf(error: unknown): WayOutError['fault'] {
    if (error instanceof WayOutError) return error.fault;
    // The client is gone, or this is a bug. The log leaves out the URL, which is private to the customer.
    this.#options.log.debug({ err: error }, 'a request of a phone ended early');
    return 'unreachable';
  }
}

/** Returns a signal that aborts when the phone's side ends early. */
function endOf(client: Duplex | ServerResponse): AbortSignal {
  const ended = new AbortController();
  client.once('close', () => ended.abort(new Error('the phone ended the connection')));
  return ended.signal;
}

function targetOf(url: URL, defaultPort: number): Target {
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || defaultPort };
}

/** Headers that are not passed on: those of one connection, and the one that only this proxy may send. */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  EXIT_FAULT_HEADER,
];

function passedOn(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  const named = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name) && !named.includes(name)),
  );
}
