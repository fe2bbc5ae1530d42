import type { RouterContext, RouterMiddleware } from '@koa/router';
import type { ApiError } from '../kit/errors/api-error.js';
import type { OpenCall } from '../kit/call/call.js';
import type { Route } from './routes/route.js';

/** Koa's `ctx.state`: what the middleware knows of a request, in the order in which it is set. */
export interface State {
  /** The call, which the first middleware begins. It has a caller once the request is authenticated. */
  call: OpenCall;
  /** The route, which the router sets. Absent: no route matched. */
  route?: Route;
  /** The path of the endpoint, where it is none of the contracts' routes. Absent: it has no name in logs and metrics. */
  endpoint?: string;
  /** Returns the body that reports an error to the endpoint's clients. Absent: `{error, message}`. */
  errorBody?: (error: ApiError) => object;
  /** Whether a rate limit has counted the request. */
  counted?: true;
  /** The error that the log reports for this request; absent on success. */
  error?: ApiError;
}

export type Context = RouterContext<State>;

export type Middleware = RouterMiddleware<State>;

/** Returns the matched route; for middleware that runs after the router. */
export function routeOf({ state }: Context): Route {
  if (state.route === undefined) throw new Error('this middleware runs only behind the router');
  return state.route;
}
