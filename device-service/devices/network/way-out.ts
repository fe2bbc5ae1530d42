import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { SocksClient } from 'socks';
import type { Clock } from '../../../kit/async/clock.js';
import { type GuardOptions, guardedLookup, isRefusedHost, RefusedTarget } from '../../../kit/net/guarded-connect.js';
import { unlessAborted, within } from '../../../kit/async/within.js';
import { EXIT_CONNECT_MS } from '../limits.js';
import type { Proxy } from './proxy-url.js';
import type { Upstream } from './upstream.js';

/**
 * The reasons why a connection through an exit fails:
 * - `none`: there is no exit, so there is no traffic;
 * - `refused`: the target is no public address, so the phone must not reach it;
 * - `unreachable`: the target of a direct connection, or the proxy, was not reached, or the proxy does not behave as one;
 * - `login`: the proxy wants other credentials;
 * - `target`: the proxy responded that it does not reach the target;
 * - `timeout`: the target or the proxy took too long.
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
 * Opens connections through an exit: directly or through its proxy, and never in another way. A direct connection checks the target's
 * address when it connects. The address of a customer's proxy is checked in the same way. A proxy resolves the names of targets itself, so
 * only literal private addresses are refused there. No connection is reused, so none outlives a change of the exit. No redirect is
 * followed.
 */
export class WayOut {
  readonly #clock: Clock;
  readonly #guard: GuardOptions;
  readonly #proxyCa: string | undefined;

  /** `proxyCa`: certificates of authorities by which https proxies are verified. Absent: the system's. */
  constructor(clock: Clock, guard: GuardOptions, proxyCa?: string) {
    this.#clock = clock;
    this.#guard = guard;
    this.#proxyCa = proxyCa;
  }

  /** Returns a connection to the target. Throws WayOutError. */
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
   * Sends a plain HTTP request; `send` writes its body and ends it. Plain requests go to HTTP proxies as such, since many of them allow
   * tunnels to port 443 only. Resolves with the head of the response; the caller reads or destroys its body.
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
      // There is no agent: the connection ends with the request.
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

  /** Resolves if the exit's proxy accepts a connection. An exit without a proxy has nothing to check. Throws WayOutError. */
  async probe(upstream: Upstream, signal: AbortSignal): Promise<void> {
    if (upstream.kind === 'none') throw noExit(upstream.reason);
    if (upstream.kind !== 'proxy') return;
    const socket = await this.#limited(signal, (limited) => this.#connectProxy(upstream, limited));
    socket.destroy();
  }

  #assertAllowed(upstream: Upstream, host: string): void {
    if (upstream.kind === 'none') throw noExit(upstream.reason);
    if (isRefusedHost(host, this.#guard)) throw refused(new RefusedTarget(host, host));
  }

  /** Connects to the proxy, with TLS where its scheme requires it. */
  async #connectProxy({ proxy, guarded }: Upstream & { kind: 'proxy' }, signal: AbortSignal): Promise<Socket> {
    const socket = await this.#connect(proxy, guarded, signal);
    if (proxy.scheme !== 'https') return socket;
    const tls = connectTls({
      socket,
      servername: serverName(proxy.host),
      ...(this.#proxyCa !== undefined && { ca: this.#proxyCa }),
    });
    return destroyedOnError(tls, signal, once(tls, 'secureConnect'));
  }

  #connect({ host, port }: Target, guarded: boolean, signal: AbortSignal): Promise<Socket> {
    const guard = guarded ? this.#guard : { allowPrivateTargets: true };
    // A proxy in the operator's own network is reported to the customer as one that does not respond.
    if (isRefusedHost(host, guard)) return Promise.reject(unreachable(new RefusedTarget(host, host)));
    const socket = connectTcp({ host, port, noDelay: true, lookup: guardedLookup(guard) });
    return destroyedOnError(socket, signal, once(socket, 'connect'));
  }

  /** Runs `work` within the time that connecting may take. */
  #limited<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const onTimeout = (): Error => new WayOutError('timeout', 'The connection took too long.');
    return within({ clock: this.#clock, timeoutMs: EXIT_CONNECT_MS, signals: [outer], onTimeout }, work);
  }
}

/** Opens a tunnel by `CONNECT host:port`. Bytes after the proxy's response belong to the tunnel. Node bounds the headers (16 KiB). */
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
      // These statuses are a proxy's refusal, or a gateway's error. So the proxy speaks HTTP, and does not reach the target.
      else if (statusCode === 403 || statusCode >= 500) reject(notReached(`it responded with status ${statusCode}`));
      else reject(unreachable(new Error(`CONNECT was responded with status ${statusCode}`)));
    });
    request.once('response', () => reject(unreachable(new Error('CONNECT was not understood'))));
    request.once('error', (cause) => reject(unreachable(cause)));
    request.once('close', () => reject(unreachable(new Error('the connection was closed'))));
    request.end();
  });
}

/** Opens a tunnel by SOCKS5. A name of a target is sent as such, and the proxy resolves it. */
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

/** Returns `result`, or throws the reason of an abort that comes first. If either fails, the socket is destroyed. */
async function destroyedOnError(socket: Socket, signal: AbortSignal, result: Promise<Socket>): Promise<Socket> {
  // Until the socket is handed over, `result` reports an error; from then on the socket's close does.
  socket.on('error', () => socket.destroy());
  try {
    return await unlessAborted(signal, result);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Returns the server name for TLS: empty for an address, as TLS sends names only. */
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
