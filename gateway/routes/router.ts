import Router from '@koa/router';
import { type Middleware, type State } from '../context.js';
import { decodePercent } from '../json/query.js';
import type { Segment } from './http-rule.js';
import type { Route } from './route.js';

/**
 * Creates the router. Every route runs the same middleware, with the route in `ctx.state.route`. Matching is strict: a trailing slash,
 * another case or an empty segment is another path. HEAD matches GET routes. Throws when two routes have the same method and path.
 */
export function createRouter(routes: readonly Route[], middleware: Middleware[]): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  const seen = new Map<string, Route>();
  for (const route of routes.toSorted(literalsFirst)) {
    const { segments } = route.binding;
    const path = `/${segments.map((part) => ('literal' in part ? part.literal : `:${part.field}`)).join('/')}`;
    const key = `${route.method} ${path.replace(/:\w+/g, ':')}`;
    const twin = seen.get(key);
    if (twin !== undefined) {
      throw new Error(`${route.rpc.toString()} and ${twin.rpc.toString()} have the same route ${key}`);
    }
    seen.set(key, route);
    const select: Middleware = (ctx, next) => {
      ctx.state.route = route;
      // This call refuses a path with a malformed escape, which the router would leave in ctx.params as it is.
      decodePercent(ctx.path, 'the path');
      return next();
    };
    router.register(path, [route.method], [select, ...middleware]);
  }
  return router;
}

/** Sorts literal segments before parameters, whatever the order of the contracts is, as the router runs the first match. */
function literalsFirst(a: Route, b: Route): number {
  const text = (segments: readonly Segment[]): string =>
    // '!' sorts before every character of a literal, '~' after them.
    segments.map((part) => ('literal' in part ? `!${part.literal}` : '~')).join('/');
  const [left, right] = [text(a.binding.segments), text(b.binding.segments)];
  return left < right ? -1 : left > right ? 1 : 0;
}
