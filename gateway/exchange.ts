import type { Middleware, ParameterizedContext } from 'koa';
import type { Caller } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Match } from './routes/table.js';

/** What the layers of the onion learn about one request, in the order in which they do. It is Koa's `ctx.state`. */
export interface Exchange {
  requestId: string;
  /** The request target, still percent-encoded, without the question mark. */
  path: string;
  query: string;
  /** The client's. */
  address: string;
  /** What failed; set for the log. Absent: nothing did. */
  failure?: unknown;
  match?: Match;
  /** Absent: the route is public, or the key has not been looked at yet. */
  caller?: Caller;
  /** What the caller showed, as the services take it: a cookie has become `Session <token>`. */
  authorization?: string;
  /** Counted by a rate limit. */
  counted?: true;
}

export type Context = ParameterizedContext<Exchange>;

/** One layer of the onion. */
export type Layer = Middleware<Exchange>;

/** Route and parameters. Asking before the route was found is a bug. */
export function matchOf(context: Context): Match {
  const { match } = context.state;
  if (match === undefined) throw new Error('the route was not found yet');
  return match;
}
