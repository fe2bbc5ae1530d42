import type { RequestListener, ServerOptions } from 'node:http';
import {
  createServer as createHttp2,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../clock.js';
import { boundSession, type Http2Limits } from './bound-session.js';
import type { ServerCertificate } from './server-certificate.js';

/** Requests at the same time in one HTTP/2 connection; browsers have 100 in mind. */
const STREAMS_MAX = 100;

/** How long browsers remember that a host has https, seconds: one year. */
const HSTS_S = 31_536_000;

export interface HttpsServerOptions {
  certificate: ServerCertificate;
  /** Options of HTTP/1.1. */
  http: ServerOptions;
  limits: Http2Limits & {
    /** Longest time for a TLS handshake, ms. */
    handshakeMs: number;
    /** Largest headers of a request, bytes. */
    headersMaxBytes: number;
  };
  clock: Clock;
}

/**
 * HTTP/1.1 and HTTP/2 over TLS on one port; the client chooses (ALPN). Requests of both reach the same listeners, those of HTTP/2 in
 * Node's compatible form. Not http2.createSecureServer: its HTTP/1.1 keeps no bounds of header times, and does not close idle
 * connections.
 */
export class HttpsServer extends Server {
  readonly #http2: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** Connections whose handshake is under way, by the client's address and port. */
  readonly #handshaking = new Map<string, Socket>();

  constructor({ certificate, http, limits, clock }: HttpsServerOptions) {
    super({
      ...http,
      ...certificate.context,
      handshakeTimeout: limits.handshakeMs,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    certificate.serve(this);
    this.#http2 = createHttp2({
      settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: limits.headersMaxBytes },
    });
    this.#http2.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      boundSession(session, limits, clock);
    });
    this.#passOnHttp2();
    this.#chooseProtocol();
    this.#boundHandshakes();
  }

  /** Also those of HTTP/2, once their requests have ended, and those whose handshake is under way. */
  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const session of this.#sessions) session.close();
    for (const socket of this.#handshaking.values()) socket.destroy();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#handshaking.values()) socket.destroy();
  }

  #passOnHttp2(): void {
    for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
      this.#http2.on(event, (request: Http2ServerRequest, response: Http2ServerResponse) => {
        // The request's host, by which it is checked; a Host header beside it could name another one.
        const authority = request.authority as string | undefined;
        if (authority !== undefined) request.headers.host = authority;
        if (this.emit(event, request, response) || event === 'request') return;
        if (event === 'checkContinue') response.writeContinue();
        this.emit('request', request, response);
      });
    }
  }

  /** Connections that chose HTTP/2 get a session; the others go to the listener of Node's server. */
  #chooseProtocol(): void {
    const serveHttp1 = this.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
    this.removeAllListeners('secureConnection');
    this.on('secureConnection', (socket) => {
      this.#handshaking.delete(peerOf(socket));
      if (socket.alpnProtocol === 'h2') this.#http2.emit('connection', socket);
      else for (const serve of serveHttp1) serve.call(this, socket);
    });
  }

  #boundHandshakes(): void {
    this.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#handshaking.set(peer, socket);
      socket.once('close', () => {
        if (this.#handshaking.get(peer) === socket) this.#handshaking.delete(peer);
      });
    });
    // Node would have these reported as malformed HTTP, to which no response can be sent.
    this.removeAllListeners('tlsClientError');
    this.on('tlsClientError', (_error, socket) => socket.destroy());
  }
}

/** Has browsers use only https for this host from now on (RFC 6797). */
export function withHsts(handler: RequestListener): RequestListener {
  return (request, response) => {
    response.setHeader('Strict-Transport-Security', `max-age=${HSTS_S}`);
    handler(request, response);
  };
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
