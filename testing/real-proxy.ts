import { createServer as createHttpServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { selfSigned } from './self-signed.js';

export interface RealProxyOptions {
  scheme: 'http' | 'https' | 'socks5';
  /** Whether a login is good; absent: none is required. */
  login?: (user: string, password: string) => boolean;
  /** The address of this machine (127.0.0.0/8) that targets see, by the user of the login. Absent: 127.0.0.1. */
  addressOf?: (user: string) => string;
}

/** The traffic through a proxy. */
export interface Passed {
  /** `host:port`. */
  target: string;
  user: string;
  /** `CONNECT`, or the method of a plain request. */
  method: string;
}

/** A proxy that really forwards, and keeps count. */
export class RealProxy {
  readonly #options: RealProxyOptions;
  readonly #server: Server | TcpServer;
  readonly #sockets = new Set<Duplex>();
  /** The certificate of an https proxy; it is for `localhost`. */
  readonly ca: string | undefined;
  readonly passed: Passed[] = [];
  /** TCP connections taken. */
  connections = 0;
  /** Logins that were refused. */
  refused = 0;

  private constructor(options: RealProxyOptions) {
    this.#options = options;
    const tls = options.scheme === 'https' ? selfSigned() : undefined;
    this.ca = tls?.cert;
    this.#server =
      options.scheme === 'socks5'
        ? createServer((socket) => void this.#socks(socket).catch(() => socket.destroy()))
        : tls === undefined
          ? createHttpServer()
          : createHttpsServer(tls);
    if (options.scheme !== 'socks5') this.#serveHttp(this.#server as Server);
    this.#server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#keep(socket);
    });
  }

  static async start(options: RealProxyOptions): Promise<RealProxy> {
    const proxy = new RealProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** Returns the proxy's URL. `login` becomes a part of it as it is, such as `user:password@`. */
  url(login = ''): string {
    const { scheme } = this.#options;
    return `${scheme}://${login}${scheme === 'https' ? 'localhost' : '127.0.0.1'}:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends every connection, and takes no more. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serveHttp(server: Server): void {
    server.on('request', (request, response) => {
      const user = this.#userOf(request);
      const url = new URL(request.url ?? '', 'http://none');
      if (user === undefined || url.hostname === 'none') {
        response.writeHead(user === undefined ? 407 : 400).end();
        return;
      }
      this.passed.push({ target: url.host, user, method: request.method ?? '' });
      const onward = httpRequest(
        url,
        { method: request.method, headers: request.headers, localAddress: this.#addressOf(user), agent: false },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      onward.on('error', () => response.destroy());
      request.pipe(onward);
    });
    server.on('connect', (request: IncomingMessage, client: Duplex) => {
      const user = this.#userOf(request);
      if (user === undefined) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const { hostname, port } = new URL(`tunnel://${request.url ?? ''}`);
      this.passed.push({ target: `${hostname}:${port}`, user, method: 'CONNECT' });
      this.#join(client, Number(port), hostname, user, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    });
  }

  /** Serves CONNECT to a name or an address, as in RFC 1928 and 1929. */
  async #socks(socket: Socket): Promise<void> {
    const read = reader(socket);
    const [, methods = 0] = await read(2);
    await read(methods);
    const { login } = this.#options;
    socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
    let user = '';
    if (login !== undefined) {
      const [, userBytes = 0] = await read(2);
      user = (await read(userBytes)).toString();
      const password = (await read((await read(1))[0] ?? 0)).toString();
      const isGood = login(user, password);
      socket.write(Buffer.from([1, isGood ? 0 : 1]));
      if (!isGood) {
        this.refused++;
        socket.end();
        return;
      }
    }
    const [, , , kind] = await read(4);
    const host =
      kind === 3 ? (await read((await read(1))[0] ?? 0)).toString() : kind === 1 ? (await read(4)).join('.') : '::1';
    if (kind === 4) await read(16);
    const port = (await read(2)).readUInt16BE();
    this.passed.push({ target: `${host}:${port}`, user, method: 'CONNECT' });
    this.#join(socket, port, host, user, () => socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])));
  }

  #join(client: Duplex, port: number, host: string, user: string, joined: () => void): void {
    const target = connect({ port, host, localAddress: this.#addressOf(user) }, () => {
      joined();
      client.pipe(target).pipe(client);
    });
    this.#keep(target);
    target.once('close', () => client.destroy());
    client.once('close', () => target.destroy());
  }

  #addressOf(user: string): string {
    return this.#options.addressOf?.(user) ?? '127.0.0.1';
  }

  /** Returns the user of a request. Undefined: the login is refused. */
  #userOf({ headers }: IncomingMessage): string | undefined {
    const { login } = this.#options;
    if (login === undefined) return '';
    const text = Buffer.from((headers['proxy-authorization'] ?? '').replace(/^Basic /, ''), 'base64').toString();
    const at = text.indexOf(':');
    if (login(text.slice(0, at), text.slice(at + 1))) return text.slice(0, at);
    this.refused++;
    return undefined;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

/** Returns a function that reads exactly so many bytes at each call. It rejects when the socket ends before that. */
function reader(socket: Socket): (bytes: number) => Promise<Buffer> {
  return async (bytes) => {
    for (;;) {
      const chunk: unknown = bytes === 0 ? Buffer.alloc(0) : socket.read(bytes);
      if (Buffer.isBuffer(chunk) && chunk.length === bytes) return chunk;
      if (socket.readableEnded || socket.destroyed) throw new Error('ended');
      await new Promise<void>((resolve) => {
        const go = (): void => {
          socket.off('readable', go);
          socket.off('close', go);
          resolve();
        };
        socket.on('readable', go);
        socket.on('close', go);
      });
    }
  };
}
