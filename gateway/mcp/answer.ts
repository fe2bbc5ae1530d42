import { mayControl } from '../../kit/rpc/caller.js';
import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Clock } from '../../kit/async/clock.js';
import { isOverHttps } from '../callers/session-cookie.js';
import type { Context } from '../context.js';
import { type OuterRequest, serveInside } from '../http/inner-request.js';
import type { EdgeLimits } from '../limits.js';
import type { CallsUnderWay } from './calls-under-way.js';
import type { Message } from './message.js';
import type { ServeMessage } from './protocol.js';
import { sendStream } from './send-stream.js';

export interface AnswerParts {
  clock: Clock;
  limits: Pick<EdgeLimits, 'slowReaderMs'>;
  publicUrl: URL | undefined;
  /** Serves the requests to the API that tools make. */
  serve: RequestListener;
  serveMessage: ServeMessage;
  underWay: CallsUnderWay;
  /** The name of the client. Absent: it sends none. */
  session: string | undefined;
}

/** What the SDK wants to see in Accept. It compares texts, so that it would refuse a client that accepts everything. */
const BOTH = 'application/json, text/event-stream';

/**
 * Serves a message, and responds with what the protocol responds: one JSON text, or a stream where progress is to be reported. The work
 * ends early when the client hangs up, cancels the request, or the time of its call is over.
 */
export async function answer(ctx: Context, message: Message, parts: AnswerParts): Promise<void> {
  const { call } = ctx.state;
  const { id, method } = message;
  const isStream = message.wantsProgress && id !== undefined && ctx.accepts('text/event-stream') !== false;
  const outer = outerOf(ctx, parts.publicUrl);
  const serving = await parts.serveMessage({
    body: message.body,
    accept: ctx.accepts('application/json') === false ? ctx.get('Accept') : BOTH,
    protocolVersion: ctx.get('MCP-Protocol-Version') || undefined,
    isStream,
    authorization: call.authorization ?? '',
    isReadOnly: call.caller === undefined || !mayControl(call.caller),
    fetch: (request, { signal }) => serveInside(parts.serve, request, { outer, signal: signal ?? call.signal }),
  });
  let forget = (): void => undefined;
  const cancelled = new Promise<undefined>((resolve) => {
    forget = parts.underWay.begin({ key: call.caller?.keyId, session: parts.session, id }, () => {
      resolve(undefined);
      serving.close();
    });
  });
  try {
    const response = await call.unlessEnded(Promise.race([serving.response, cancelled]));
    if (response === undefined) accepted(ctx);
    else if (response.headers.get('content-type') === 'text/event-stream' && response.body !== null)
      await sendStream(ctx, response.body, { ...parts, id });
    else await sendText(ctx, response, method === 'initialize');
  } finally {
    forget();
    serving.close();
  }
}

/** Responds with 202 and no body, as to a message that gets no response. */
export function accepted(ctx: Context): void {
  ctx.body = '';
  ctx.remove('Content-Type');
  ctx.status = 202;
}

function outerOf(ctx: Context, publicUrl: URL | undefined): OuterRequest {
  const { headers } = ctx.req;
  const host = headers.host ?? headers[':authority']?.toString() ?? 'localhost';
  return { call: ctx.state.call, host, isSecure: isOverHttps(ctx, publicUrl), isPaid: true };
}

async function sendText(ctx: Context, response: Response, isFirst: boolean): Promise<void> {
  if (response.status === 202) {
    accepted(ctx);
    return;
  }
  const text = await response.text();
  ctx.status = response.status;
  ctx.set('Cache-Control', 'no-store');
  // With this name, the client can cancel its requests. Nothing is kept under it.
  if (isFirst && response.ok) ctx.set('Mcp-Session-Id', randomUUID());
  ctx.type = 'json';
  ctx.body = text;
}
