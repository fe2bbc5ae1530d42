import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SocksClient } from 'socks';
import type { Clock } from '../../kit/clock.js';
import { type GuardOptions, guardedLookup, isRefusedHost, RefusedTarget } from '../../kit/guarded-connect.js';
import { unlessAborted, within } from '../../kit/within.js';
import { EXIT_CONNECT_MS } from '../limits.js';
import type { Proxy } from './proxy-url.js';
import type { Upstream } from './upstream.js';

/**
 * Why nothing goes out by an exit:
 * - `none`: there is no exit, so there is no traffic;
 * - `refused`: the target is no public address, which the phone must not reach;
 * - `unreachable`: the target (straight out) or the proxy was not reached, or does not behave as one;
 * - `login`: the proxy wants other credentials;
 * - `target`: the proxy responded that it does not reach the target;
 * - `timeout`: whichever it was took too long.
 */
export type WayOutFault = 'none' | 'refused' | 'unreachable' | 'login' | 'target' | 'timeout';

export class WayOutError extends Error {
  override name = 'WayOutError';
  constructor(
    readonly fault: WayOutFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface WayOutParts extends GuardOptions {
  clock: Clock;
  /** Certificates of authorities that https proxies are held to. Absent: the system's. */
  proxyCa?: string;
}

export interface Target {
  host: string;
  port: number;
}

/** A plain HTTP request on its way out. `path` begins with a slash. */
export interface PlainRequest extends Target {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
}

/**
 * Opens connections by an exit: straight out, or through its proxy, and by nothing else. Straight out, addresses of targets are
 * checked when connecting; a customer's proxy is checked likewise. Names of targets are resolved by the proxy, so through one only
 * literal private addresses are refused. Each connection is a new one, so none outlives a change of the exit. No redirect is followed.
 */
export class WayOut {
  readonly #parts: WayOutParts;

  constructor(parts: WayOutParts) {
    this.#parts = parts;
  }

  /** A connection to the target. Throws WayOutError. */
  async tunnel(upstream: Upstream, target: Target, signal: AbortSignal): Promise<Socket> {
    this.#assertAllowed(upstream, target.host);
    return this.#limited(signal, async (limited) => {
      if (upstream.kind !== 'proxy') {
        return this.#connect(target, true, limited).catch((error: unknown) => {
          const cause = error instanceof WayOutError ? error.cause : undefined;
          throw cause instanceof RefusedTarget ? refused(cause) : error;
        });
      }
      const socket = await this.#connectProxy(upstream, limited);
      const through = upstream.proxy.scheme === 'socks5' ? throughSocks : throughConnect;
      return destroyedOnError(socket, limited, through(socket, upstream.proxy, target));
    });
  }

  /**
   * Sends a plain HTTP request; `send` gets it to write its body and end it. Plain requests go to HTTP proxies as such, since many
   * allow tunnels to port 443 only. Resolves with the head of the response; its body is the caller's to read or destroy.
   */
  async request(
    upstream: Upstream,
    { method, path, headers, ...target }: PlainRequest,
    signal: AbortSignal,
    send: (request: ClientRequest) => void,
  ): Promise<IncomingMessage> {
    this.#assertAllowed(upstream, target.host);
    const proxied = upstream.kind === 'proxy' && upstream.proxy.scheme !== 'socks5' ? upstream.proxy : undefined;
    const socket =
      upstream.kind === 'proxy' && proxied !== undefined
        ? await this.#limited(signal, (limited) => this.#connectProxy(upstream, limited))
        : await this.tunnel(upstream, target, signal);
    const request = httpRequest({
      method,
      path: proxied === undefined ? path : `http://${hostAndPort(target)}${path}`,
      headers: { ...headers, ...(proxied !== undefined && loginHeader(proxied)) },
      // Without an agent: the connection ends with the request.
      createConnection: () => socket,
    });
    const abort = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', abort));
    return new Promise((resolve, reject) => {
      request.once('response', (response) => {
        if (proxied !== undefined && response.statusCode === 407) {
          socket.destroy();
          reject(refusedLogin());
        } else resolve(response);
      });
      request.on('error', (cause) => {
        socket.destroy();
        reject(signal.aborted ? (signal.reason as Error) : unreachable(cause));
      });
      request.once('close', () => reject(unreachable(new Error('the connection was closed'))));
      send(request);
    });
  }

  /** Whether the exit's proxy accepts a connection; straight out there is nothing to check. Throws WayOutError. */
  async probe(upstream: Upstream, signal: AbortSignal): Promise<void> {
    if (upstream.kind === 'none') throw noExit(upstream.reason);
    if (upstream.kind !== 'proxy') return;
    const socket = await this.#limited(signal, (limited) => this.#connectProxy(upstream, limited));
    socket.destroy();
  }

  #assertAllowed(upstream: Upstream, host: string): void {
    if (upstream.kind === 'none') throw noExit(upstream.reason);
    if (isRefusedHost(host, this.#parts)) throw refused(new RefusedTarget(host, host));
  }

  /** To the proxy, with TLS where its scheme requires it. */
  async #connectProxy({ proxy, guarded }: Upstream & { kind: 'proxy' }, signal: AbortSignal): Promise<Socket> {
    const socket = await this.#connect(proxy, guarded, signal);
    if (proxy.scheme !== 'https') return socket;
    const { proxyCa } = this.#parts;
    const tls = connectTls({
      socket,
      servername: serverName(proxy.host),
      ...(proxyCa !== undefined && { ca: proxyCa }),
    });
    return destroyedOnError(tls, signal, once(tls, 'secureConnect'));
  }

  #connect({ host, port }: Target, guarded: boolean, signal: AbortSignal): Promise<Socket> {
    const guard = guarded ? this.#parts : { allowPrivateTargets: true };
    // A proxy in the operator's own network looks to its customer like one that does not respond.
    if (isRefusedHost(host, guard)) return Promise.reject(unreachable(new RefusedTarget(host, host)));
    const socket = connectTcp({ host, port, noDelay: true, lookup: guardedLookup(guard) });
    return destroyedOnError(socket, signal, once(socket, 'connect'));
  }

  /** Runs `work` within the time that reaching anything may take. */
  #limited<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const onTimeout = (): Error => new WayOutError('timeout', 'The connection took too long.');
    return within({ clock: this.#parts.clock, timeoutMs: EXIT_CONNECT_MS, signals: [outer], onTimeout }, work);
  }
}

/** `CONNECT host:port`. Bytes behind the proxy's response belong to the tunnel. Headers are bounded by Node (16 KiB). */
function throughConnect(socket: Socket, proxy: Proxy, target: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method: 'CONNECT',
      path: hostAndPort(target),
      headers: { host: hostAndPort(target), ...loginHeader(proxy) },
      createConnection: () => socket,
    });
    request.once('connect', ({ statusCode = 0 }, tunnel: Socket, head: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) tunnel.unshift(head);
        resolve(tunnel);
      } else if (statusCode === 407) reject(refusedLogin());
      // A response that only a gateway gives, or a refusal: it speaks HTTP and does not reach the target.
      else if (statusCode === 403 || statusCode >= 500) reject(notReached(`it responded with status ${statusCode}`));
      else reject(unreachable(new Error(`CONNECT was responded with status ${statusCode}`)));
    });
    request.once('response', () => reject(unreachable(new Error('CONNECT was not understood'))));
    request.once('error', (cause) => reject(unreachable(cause)));
    request.once('close', () => reject(unreachable(new Error('the connection was closed'))));
    request.end();
  });
}

/** SOCKS5 with a name where there is one: the proxy resolves it. */
async function throughSocks(socket: Socket, { host, port, user, password }: Proxy, target: Target): Promise<Socket> {
  try {
    await SocksClient.createConnection({
      command: 'connect',
      proxy: { host, port, type: 5, ...(user !== undefined && { userId: user, password: password ?? '' }) },
      destination: target,
      existing_socket: socket,
      timeout: EXIT_CONNECT_MS,
    });
    return socket;
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : '';
    if (/authentication/i.test(text)) throw refusedLogin();
    if (/rejected connection/i.test(text)) throw notReached(text);
    throw unreachable(cause);
  }
}

function loginHeader({ user, password = '' }: Proxy): { 'proxy-authorization'?: string } {
  if (user === undefined) return {};
  return { 'proxy-authorization': `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** Resolves with the socket at `event`. */
function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket));
    socket.once('error', (cause) => reject(unreachable(cause)));
    socket.once('close', () => reject(unreachable(new Error('the connection was closed'))));
  });
}

/** `result`, or the reason of an abort that comes first; without it the socket is destroyed. */
async function destroyedOnError(socket: Socket, signal: AbortSignal, result: Promise<Socket>): Promise<Socket> {
  // An error is reported by `result` until the socket is handed over, and by its close from then on.
  socket.on('error', () => socket.destroy());
  try {
    return await unlessAborted(signal, result);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** TLS names no addresses. */
function serverName(host: string): string {
  return /[a-z]/i.test(host) && !host.includes(':') ? host : '';
}

function hostAndPort({ host, port }: Target): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function unreachable(cause: unknown): WayOutError {
  if (cause instanceof WayOutError) return cause;
  return new WayOutError('unreachable', 'It could not be reached.', { cause });
}

function noExit(reason: string): WayOutError {
  return new WayOutError('none', reason);
}

function refused(cause: RefusedTarget): WayOutError {
  return new WayOutError('refused', cause.message, { cause });
}

function refusedLogin(): WayOutError {
  return new WayOutError('login', 'The proxy refused the user name or the password.');
}

function notReached(why: string): WayOutError {
  return new WayOutError('target', `The proxy did not reach the target: ${why}`);
}
