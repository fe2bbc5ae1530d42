import type { IncomingMessage } from 'node:http';
import type { Message } from '@bufbuild/protobuf';
import { type WebSocket, WebSocketServer } from 'ws';
import { ClientGone, prolong } from '../../kit/call.js';
import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import { unlessAborted } from '../../kit/within.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import { type Upgrade, takeUpgrade, upgradeOf } from '../http/upgrades.js';
import type { EdgeLimits } from '../limits.js';
import type { OpenSockets } from './open-sockets.js';
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
 * Opens the WebSocket of a route that is one. The stream to the service is opened first, and its first message awaited: so everything that
 * can be refused is refused by an ordinary response, and the connection is upgraded only when there is something to see.
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
    const lasting = prolong(call, { clock, timeoutMs: Infinity });
    const stream = new SocketStream({ route, form: route.socket, clock, call: lasting, first });
    sockets.add({ caller: call.caller?.keyId ?? ctx.ip, account: call.caller?.accountId }, stream);
    const onGone = (): void => stream.hangUp();
    upgrade.socket.once('close', onGone);
    let hello: Message;
    let ws: WebSocket;
    try {
      hello = await unlessAborted(call.signal, stream.open());
      ws = await complete(ctx, limits);
    } catch (error) {
      stream.hangUp();
      sockets.remove(stream);
      // The stream was ended from here, as the service stops: a client that is still there gets a response.
      if (error instanceof ClientGone && !upgrade.socket.destroyed) throw stopping();
      throw error;
    } finally {
      upgrade.socket.off('close', onGone);
    }
    const startedMs = clock.monotonicMs();
    void stream.run(ws, upgrade.socket, hello).then(({ frames, code, error }) => {
      sockets.remove(stream);
      const line = { request_id: call.requestId, route: route.template, key_id: call.caller?.keyId, code, frames };
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      const isFault = error !== undefined && (!(error instanceof ApiError) || error.kind === 'internal');
      if (isFault) log.error({ ...line, duration_ms: durationMs, err: error }, 'socket');
      else log.info({ ...line, duration_ms: durationMs }, 'socket');
    });
    call.end();
  };
}

function stopping(): ApiError {
  return new ApiError('unavailable', 'The service is stopping. Try again.', { retryAfterS: 1 });
}

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Returns the connection of a WebSocket handshake; throws bad_request when the request is none. */
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
function complete(ctx: Context, { socketMessageMaxBytes }: EdgeLimits): Promise<WebSocket> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: socketMessageMaxBytes,
    // The first: where there is a second, it may be a secret, which no response repeats.
    handleProtocols: ([first = '']) => first,
    ...{ closeTimeout: CLOSE_MS },
  });
  const headers = Object.entries(ctx.response.headers).map(([name, value]) => `${name}: ${String(value)}`);
  server.on('headers', (lines) => lines.push(...headers));
  const { socket, head } = takeUpgrade(ctx.req);
  ctx.respond = false;
  ctx.res.statusCode = 101;
  return new Promise((resolve, reject) => {
    // The library does not call back for a connection that has ended by now, nor for one that it refuses.
    socket.once('close', () => reject(new ClientGone()));
    // One whose client sent its end has no response any more that would close it.
    if (!socket.readable || !socket.writable) socket.destroy();
    else server.handleUpgrade(ctx.req, socket, head, resolve);
  });
}
