import type { Middleware, ParameterizedContext } from 'koa';
import type { ApiError } from '../kit/errors.js';
import type { Caller } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Match } from './routes/table.js';

/** What the layers of the onion learn about one request, in the order in which they do. It is Koa's `ctx.state`. */
export interface Exchange {
  requestId: string;
  /** The request target, still percent-encoded, without the question mark. */
  path: string;
  query: string;
  /** Headers that the answer has, whatever it will be. */
  headers: HeaderList;
  /** What the caller is told instead of an answer. */
  refusal?: Refusal;
  match?: Match;
  /** Absent: the route is public, or the key has not been looked at yet. */
  caller?: Caller;
  /** What the caller showed, as the services take it: a cookie has become `Session <token>`. */
  authorization?: string;
  /** Counted by a rate limit. */
  counted?: true;
}

/** Names and values in turn, as writeHead takes them. */
export type HeaderList = (string | number)[];

/**
 * What an ApiError says. A layer that refuses sets it and returns, without next(): to throw costs as much as all else that the edge
 * does for a refused request, and a flood of them should cost little. What is thrown all the same becomes one in render-errors.
 */
export type Refusal = Pick<ApiError, 'kind' | 'message' | 'retryAfterS' | 'replayed' | 'cause'>;

export type Context = ParameterizedContext<Exchange>;

/** One layer of the onion. */
export type Layer = Middleware<Exchange>;

/** Route and parameters. Asking before the route was found is a bug. */
export function matchOf(context: Context): Match {
  const { match } = context.state;
  if (match === undefined) throw new Error('the route was not found yet');
  return match;
}
