import type { Clock } from '../../kit/clock.js';
import type { Context, Layer } from '../exchange.js';
import { matchOf } from '../exchange.js';
import { readJsonBody, refuseBody } from '../http/json-body.js';
import { ClientGone } from '../http/read-bytes.js';
import type { EdgeLimits } from '../limits.js';
import { sendAnswer } from '../send-answer.js';

/** The heart: reads the request, makes the rpc, writes its answer. A client that hangs up takes the rpc with it. */
export function callRpc({ clock, limits }: { clock: Clock; limits: EdgeLimits }): Layer {
  const reading = { clock, maxBytes: limits.bodyMaxBytes, timeoutMs: limits.bodyTimeoutMs };
  return async (context) => {
    const { req } = context;
    const { query } = context.state;
    const { route, pathValues } = matchOf(context);
    const hasBody = route.binding.body !== undefined;
    const body = await (hasBody ? readJsonBody(req, reading) : refuseBody(req, reading));
    const request = route.readRequest({ pathValues, query, headers: req.headers, body });
    const gone = abortWhenGone(context);
    try {
      const { transport, rpc } = route;
      const answer = await transport.unary(rpc, gone, limits.rpcTimeoutMs, forwarded(context), request);
      sendAnswer(context, route, answer.message);
    } catch (error) {
      throw gone.aborted ? gone.reason : error;
    }
  };
}

/** Headers that go along: who calls, which request, which trace. */
function forwarded(context: Context): [string, string][] {
  const { requestId, traceparent } = context.state;
  const { authorization, tracestate } = context.req.headers;
  const headers: [string, string][] = [
    ['x-request-id', requestId],
    ['traceparent', traceparent],
  ];
  if (authorization !== undefined) headers.push(['authorization', authorization]);
  if (typeof tracestate === 'string') headers.push(['tracestate', tracestate]);
  return headers;
}

function abortWhenGone({ res }: Context): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed) controller.abort(new ClientGone('the client hung up before the call'));
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(new ClientGone('the client hung up before the answer'));
  });
  return controller.signal;
}
