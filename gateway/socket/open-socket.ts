import type { IncomingMessage } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { type WebSocket, WebSocketServer } from 'ws';
import { ClientGone, detachedCall } from '../../kit/call/call.js';
import type { Clock } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Log } from '../../kit/log/log.js';
import { unlessAborted } from '../../kit/async/within.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import { stopping } from '../stopping.js';
import { type Upgrade, takeUpgrade, upgradeOf } from '../http/upgrades.js';
import type { EdgeLimits } from '../limits.js';
import type { OpenSockets } from './open-sockets.js';
import { ByteStream } from './byte-stream.js';
import { SocketStream } from './socket-stream.js';

export interface OpenSocketParts {
  clock: Clock;
  log: Log;
  limits: EdgeLimits;
  sockets: OpenSockets;
  isDraining: () => boolean;
}

/** How long a client may take to confirm a close, ms; then its connection is cut. */
const CLOSE_MS = 2_000;

/**
 * Opens the WebSocket, if the route has one. The stream to the service is opened first, and its first message is awaited. So every refusal
 * is an ordinary response, and the connection is upgraded only when there is something to send.
 */
export function openSocket({ clock, log, limits, sockets, isDraining }: OpenSocketParts): Middleware {
  return async (ctx, next) => {
    const route = routeOf(ctx);
    if (route.socket === undefined) {
      await next();
      return;
    }
    const first = route.readRequest({
      params: ctx.params,
      query: ctx.querystring,
      headers: ctx.headers,
      body: undefined,
    });
    const upgrade = handshakeOf(ctx.req);
    if (isDraining()) throw stopping();
    const { call } = ctx.state;
    const lasting = detachedCall(call, { clock, timeoutMs: Infinity });
    const { socket: form } = route;
    const parts = { route, clock, call: lasting, first };
    const stream = form.kind === 'bytes' ? new ByteStream({ ...parts, form }) : new SocketStream({ ...parts, form });
    const maxMessageBytes = form.kind === 'bytes' ? limits.maxSocketPieceBytes : limits.maxSocketMessageBytes;
    sockets.add({ caller: call.caller?.keyId ?? ctx.ip, account: call.caller?.accountId }, stream);
    const onGone = (): void => stream.hangUp();
    upgrade.socket.once('close', onGone);
    let hello: Message;
    let ws: WebSocket;
    try {
      hello = await unlessAborted(call.signal, stream.open());
      ws = await complete(ctx, maxMessageBytes);
    } catch (error) {
      stream.hangUp();
      sockets.remove(stream);
      // ClientGone while the client is still connected: this process ended the stream because it stops. The client gets a response.
      if (error instanceof ClientGone && !upgrade.socket.destroyed) throw stopping();
      throw error;
    } finally {
      upgrade.socket.off('close', onGone);
    }
    const startedMs = clock.monotonicMs();
    void stream.run(ws, upgrade.socket, hello).then(({ frames, code, error }) => {
      sockets.remove(stream);
      const line = {
        request_id: call.requestId,
        route: route.template,
        key_id: call.caller?.keyId,
        close_code: code,
        frames,
      };
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      const isFault = error !== undefined && (!(error instanceof ApiError) || error.kind === 'internal');
      if (isFault) log.error({ ...line, duration_ms: durationMs, err: error }, 'socket');
      else log.info({ ...line, duration_ms: durationMs }, 'socket');
    });
    call.end();
  };
}

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the connection of a WebSocket handshake. Throws bad_request when the request is not a handshake. */
function handshakeOf(request: IncomingMessage): Upgrade {
  const upgrade = upgradeOf(request);
  if (upgrade === undefined) {
    throw new ApiError('bad_request', 'This route is a WebSocket. Open it with a WebSocket client: ws:// in place of http://, wss:// in place of https://.'); // prettier-ignore
  }
  if (request.headers['sec-websocket-version'] !== '13') {
    throw new ApiError('bad_request', 'The Sec-WebSocket-Version must be 13.');
  }
  if (!KEY.test(request.headers['sec-websocket-key'] ?? '')) {
    throw new ApiError('bad_request', 'The Sec-WebSocket-Key must be 16 bytes in base64.');
  }
  const protocols = request.headers['sec-websocket-protocol']?.split(/[ \t]*,[ \t]*/) ?? [];
  if (!protocols.every((name) => TOKEN.test(name)) || new Set(protocols).size < protocols.length) {
    throw new ApiError(
      'bad_request',
      'The Sec-WebSocket-Protocol must be a list of different names. It may be left out.',
    );
  }
  return upgrade;
}

/** Completes the handshake, with the headers that the response has so far. */
function complete(ctx: Context, maxPayload: number): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    // The first protocol is returned. A second one may be a secret, which no response repeats.
    handleProtocols: ([first = '']) => first,
    ...{ closeTimeout: CLOSE_MS },
  });
  const headers = Object.entries(ctx.response.headers).map(([name, value]) => `${name}: ${String(value)}`);
  server.on('headers', (lines) => lines.push(...headers));
  const { socket, head } = takeUpgrade(ctx.req);
  ctx.respond = false;
  ctx.res.statusCode = 101;
  return new Promise((resolve, reject) => {
    // The library calls back neither for a connection that has ended already, nor for one that it refuses. Both close.
    socket.once('close', () => reject(new ClientGone()));
    // A client that has sent its end gets no response. So nothing else would close its connection.
    if (!socket.readable || !socket.writable) socket.destroy();
    else server.handleUpgrade(ctx.req, socket, head, resolve);
  });
}
