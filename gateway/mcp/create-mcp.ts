import type { RequestListener } from 'node:http';
import Router from '@koa/router';
import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { isOfForeignPage } from '../callers/same-origin.js';
import type { Context, Middleware, State } from '../context.js';
import type { BodyRoom } from '../http/body-room.js';
import { readJsonBody } from '../http/json-body.js';
import type { EdgeLimits } from '../limits.js';
import { type AuthenticateParts, identify } from '../middleware/authenticate.js';
import { countRequest } from '../middleware/limit-rates.js';
import { limitUnderWay } from '../middleware/limit-under-way.js';
import { accepted, answer } from './answer.js';
import { CallsUnderWay } from './calls-under-way.js';
import { errorBody, refusedCall } from './json-rpc-errors.js';
import { type Message, messageOf } from './message.js';
import type { ServeMessage } from './protocol.js';

export interface McpParts extends AuthenticateParts {
  clock: Clock;
  log: Log;
  limits: EdgeLimits;
  room: BodyRoom;
  /** Serves the requests to the API that tools make, as the edge serves those of clients. */
  serve: RequestListener;
}

const PATH = '/mcp';

/** Largest message of a key that has used up its requests, bytes. A larger one is refused unread. */
const MAX_LATE_BYTES = 16 * 1024;

/** A credential that is allowed here: an API key in its header. */
const BEARER = /^Bearer +\S+$/i;

const SESSION_ID = /^[\x21-\x7e]{1,64}$/;

/**
 * Creates the router of `/mcp`, the Model Context Protocol over streamable HTTP (docs/adr/0099-mcp-at-the-edge.md). Each message is a
 * request of its own with an API key, and nothing is kept between messages. A tool makes its requests to the API in this process, with the
 * key of the client.
 *
 * A message counts as one request of its key. It pays for the first request that its tool makes, so that a call counts as its requests.
 */
export function createMcp(parts: McpParts): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  const underWay = new CallsUnderWay();
  const load = protocolLoader(parts.log);
  const bounded = limitUnderWay(parts.limits);
  router.all(PATH, refuseOthers(parts), identifyKey(parts), async (ctx) => {
    const refusal = await countRequest(ctx, parts.rates, undefined);
    if (refusal !== undefined && !isShort(ctx)) throw refusal;
    await bounded(ctx, async () => {
      const message = await read(ctx, parts);
      const session = sessionOf(ctx);
      if (message.cancels !== undefined) {
        underWay.cancel({ key: ctx.state.call.caller?.keyId, session, id: message.cancels });
        accepted(ctx);
      } else if (refusal === undefined) {
        await answer(ctx, message, { ...parts, underWay, session, serveMessage: await load() });
      } else {
        // A model reads the result of a call, and waits. Many hosts take another status for a server that is broken.
        if (message.method !== 'tools/call' || message.id === undefined) throw refusal;
        ctx.body = refusedCall(message.id, refusal);
      }
    });
  });
  return router;
}

/**
 * Returns a function that loads the protocol at the first message. Loading takes a sixth of a second and 25 MB of memory, which an edge
 * without agents does not spend.
 */
function protocolLoader(log: Log): () => Promise<ServeMessage> {
  let loading: Promise<ServeMessage> | undefined;
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'a tool of MCP failed');
  return () => {
    loading ??= begunAhead(import('./protocol.js').then(({ openProtocol }) => openProtocol(onFault)));
    return loading;
  };
}

/** Refuses what no MCP client sends: other methods than POST, and requests that a page of another site makes a browser send. */
function refuseOthers({ publicUrl }: Pick<McpParts, 'publicUrl'>): Middleware {
  return (ctx, next) => {
    ctx.state.errorBody = errorBody;
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST');
      throw new ApiError(
        'method_not_allowed',
        `${ctx.method} is not possible here: there is no stream to open and no session to end. Send each message by POST.`,
      );
    }
    ctx.state.endpoint = PATH;
    if (isOfForeignPage(ctx, publicUrl)) {
      throw new ApiError('forbidden', 'Pages of other sites may not use this service. Programs send no Origin header.');
    }
    return next();
  };
}

/** Finds the caller by the API key alone. A cookie is not read here, and a share is no key. */
function identifyKey(parts: McpParts): Middleware {
  return async (ctx, next) => {
    const { authorization = '' } = ctx.headers;
    const isKey = BEARER.test(authorization);
    await identify(ctx, isKey ? authorization : undefined, false, parts).catch((error: unknown) => {
      // A code is given only where there was a key (RFC 6750, 3.1).
      const isWrong = isKey && error instanceof ApiError && error.kind === 'unauthorized';
      if (isWrong) ctx.set('WWW-Authenticate', 'Bearer error="invalid_token"');
      throw error;
    });
    await next();
  };
}

function isShort({ req }: Context): boolean {
  const length = req.headers['content-length'];
  return length !== undefined && Number(length) <= MAX_LATE_BYTES;
}

async function read(ctx: Context, { clock, limits, room }: McpParts): Promise<Message> {
  const { call } = ctx.state;
  const bounds = { clock, room, maxBytes: limits.maxBodyBytes, timeoutMs: limits.bodyTimeoutMs };
  return messageOf(
    await readJsonBody(ctx.req, { ...bounds, who: call.caller?.accountId ?? ctx.ip, signal: call.signal }),
  );
}

/** Returns the name that the client has from its first response; undefined where it sends none. */
function sessionOf(ctx: Context): string | undefined {
  const session = ctx.get('Mcp-Session-Id');
  if (session === '') return undefined;
  if (SESSION_ID.test(session)) return session;
  throw new ApiError(
    'bad_request',
    'Mcp-Session-Id must have 1 to 64 visible ASCII characters. Send the one that you were given.',
  );
}
