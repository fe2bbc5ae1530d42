import type { RequestListener, ServerOptions } from 'node:http';
import {
  constants,
  createServer as createHttp2,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { clientAddress } from '../net/client-address.js';
import type { Clock } from '../async/clock.js';
import { FairTurns } from '../async/fair-turns.js';
import { requestIdOf } from '../log/trace.js';
import { boundSession, type Http2Limits } from './bound-session.js';
import type { ServerCertificate } from './server-certificate.js';

/** Most requests at the same time in one HTTP/2 connection. Browsers expect 100. */
const MAX_STREAMS = 100;

/**
 * Headers up to this many times their bound get a response. Node resets requests with larger ones, once the client has confirmed our
 * settings. Before that, Node accepts larger headers.
 */
const HEADER_FACTOR = 4;

/**
 * How many HTTP/2 requests are begun in a turn of the event loop. One read can bring hundreds of requests, which the client may have reset
 * already.
 */
const REQUESTS_PER_TURN = 4;

/** The body of a refusal for the size of the headers, also for HTTP/1.1 at the edge. */
export const LARGE_HEADERS = { error: 'too_large', message: 'The request line and headers are too large.' };

const HTTP2_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;
type Http2Event = (typeof HTTP2_EVENTS)[number];

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
    maxHeadersBytes: number;
  };
  clock: Clock;
}

/**
 * Serves HTTP/1.1 and HTTP/2 over TLS on one port; the client chooses (ALPN). Requests of both reach the same listeners, and HTTP/2
 * requests have Node's compatible form. http2.createSecureServer is not used: its HTTP/1.1 keeps no bounds of header times, and does not
 * close idle connections.
 */
export class HttpsServer extends Server {
  readonly #http2: Http2Server;
  /** The sessions of HTTP/2, with their connections. */
  readonly #sessions = new Map<ServerHttp2Session, TLSSocket>();
  readonly #turns = new FairTurns(REQUESTS_PER_TURN);
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
      settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: HEADER_FACTOR * limits.maxHeadersBytes },
    });
    this.#passOnHttp2(limits.maxHeadersBytes);
    this.#chooseProtocol((session, socket) => boundSession(session, socket, limits, clock));
    this.#boundHandshakes();
  }

  /** Closes HTTP/2 connections too, once their requests have ended. Destroys connections whose handshake is under way. */
  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const session of this.#sessions.keys()) session.close();
    for (const socket of this.#handshaking.values()) socket.destroy();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const [session, socket] of this.#sessions) {
      session.destroy();
      // A session waits for a write under way, which may never end.
      socket.destroy();
    }
    for (const socket of this.#handshaking.values()) socket.destroy();
  }

  #passOnHttp2(maxHeadersBytes: number): void {
    for (const event of HTTP2_EVENTS) {
      this.#http2.on(event, (request: Http2ServerRequest, response: Http2ServerResponse) => {
        // Requests are checked by their host. HTTP/2 has it in `:authority`; a Host header beside that could name another host.
        const authority = request.authority as string | undefined;
        if (authority !== undefined) request.headers.host = authority;
        if (headerBytes(request) > maxHeadersBytes) {
          refuseHeaders(response);
          return;
        }
        const isTaken = this.#turns.add(clientAddress(request.socket.remoteAddress ?? ''), () => {
          if (request.stream.closed || request.stream.destroyed) return false;
          this.#serve(event, request, response);
          return true;
        });
        // This code states that nothing was done, so the client may repeat the request.
        if (!isTaken) request.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      });
    }
  }

  #serve(event: Http2Event, request: Http2ServerRequest, response: Http2ServerResponse): void {
    if (this.emit(event, request, response) || event === 'request') return;
    if (event === 'checkContinue') response.writeContinue();
    this.emit('request', request, response);
  }

  /** Connections that chose HTTP/2 get a session; the others go to the listener of Node's server. */
  #chooseProtocol(bound: (session: ServerHttp2Session, socket: TLSSocket) => void): void {
    const serveHttp1 = this.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
    this.removeAllListeners('secureConnection');
    this.on('secureConnection', (socket) => {
      this.#handshaking.delete(peerOf(socket));
      if (socket.alpnProtocol === 'h2') this.#beginSession(socket, bound);
      else for (const serve of serveHttp1) serve.call(this, socket);
    });
  }

  #beginSession(socket: TLSSocket, bound: (session: ServerHttp2Session, socket: TLSSocket) => void): void {
    const begin = (session: ServerHttp2Session): void => {
      this.#sessions.set(session, socket);
      socket.once('close', () => this.#sessions.delete(session));
      bound(session, socket);
    };
    // Node emits `session` within the call below. The listener keeps the socket itself, as a session exposes only a stand-in for it.
    this.#http2.once('session', begin);
    this.#http2.emit('connection', socket);
    this.#http2.off('session', begin);
  }

  #boundHandshakes(): void {
    this.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#handshaking.set(peer, socket);
      socket.once('close', () => {
        if (this.#handshaking.get(peer) === socket) this.#handshaking.delete(peer);
      });
    });
    // Node's own listener would report failed handshakes as malformed HTTP, to which no response can be sent.
    this.removeAllListeners('tlsClientError');
    this.on('tlsClientError', (_error, socket) => socket.destroy());
  }
}

/** Returns the size that a request's headers would have in HTTP/1.1. Node enforces the bound itself only in HTTP/1.1. */
function headerBytes({ rawHeaders }: Http2ServerRequest): number {
  // Each name is followed by a colon and a blank, and each value by a line end: two bytes each.
  return rawHeaders.reduce((bytes, text) => bytes + text.length + 2, 0);
}

function refuseHeaders(response: Http2ServerResponse): void {
  response.writeHead(431, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestIdOf(undefined),
  });
  response.end(JSON.stringify(LARGE_HEADERS));
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
