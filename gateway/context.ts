import type { RouterContext, RouterMiddleware } from '@koa/router';
import type { ApiError } from '../kit/errors.js';
import type { OpenCall } from '../kit/call.js';
import type { Route } from './routes/route.js';

/** Koa's `ctx.state`: the facts that the middleware knows of a request, in the order in which it is set. */
export interface State {
  /** Begun by the first middleware; has a caller once the request is authenticated. */
  call: OpenCall;
  /** Set by the router. Absent: no route matched. */
  route?: Route;
  /** The request was counted by a rate limit. */
  counted?: true;
  /** The error that the response is about; absent on success. For the log. */
  error?: ApiError;
}

export type Context = RouterContext<State>;

export type Middleware = RouterMiddleware<State>;

/** Returns the matched route; for middleware that runs behind the router. */
export function routeOf({ state }: Context): Route {
  if (state.route === undefined) throw new Error('this middleware runs only behind the router');
  return state.route;
}
