import Router from '@koa/router';
import { type Middleware, type State } from '../context.js';
import { decodePercent } from '../json/query.js';
import type { Segment } from './http-rule.js';
import type { Route } from './route.js';

/**
 * Creates the router. Every route runs the same middleware, with the route in `ctx.state.route`. Matching is strict: a trailing slash,
 * another case or an empty segment is another path. HEAD matches GET routes. Throws when two routes have the same method and path.
 *
 * Koa's router compares a path with each of its routes in turn. So there is one for the routes of each shape: with some 300 routes in one,
 * a refusal takes a tenth more of the processor (`npm run bench -- edge`).
 */
export function createRouter(routes: readonly Route[], middleware: Middleware[]): Middleware {
  const byShape = new Map<string, Router<State>>();
  const seen = new Map<string, Route>();
  for (const route of routes.toSorted(literalsFirst)) {
    const { segments } = route.binding;
    const parts = segments.map((part) => ('literal' in part ? part.literal : `:${part.field}`));
    const path = `/${parts.join('/')}`;
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
    if (segments[1] !== undefined && !('literal' in segments[1]))
      throw new Error(`${route.template}: the second segment of a path names its resource`);
    const shape = shapeOf(parts);
    const router = byShape.get(shape) ?? new Router<State>({ strict: true, sensitive: true });
    byShape.set(shape, router);
    router.register(path, [route.method], [select, ...middleware]);
  }
  const handlers = new Map<string, Middleware>([...byShape].map(([shape, router]) => [shape, router.routes()]));
  return async (ctx, next) => {
    const handle = handlers.get(shapeOf(ctx.path.slice(1).split('/')));
    await (handle === undefined ? next() : handle(ctx, next));
  };
}

/** Returns the number of a path's segments, and the second one: the resource in `/v1/devices`. */
function shapeOf(segments: readonly string[]): string {
  return `${segments.length} ${segments[1] ?? ''}`;
}

/** Sorts literal segments before parameters, whatever the order of the contracts is, as the router runs the first match. */
function literalsFirst(a: Route, b: Route): number {
  const text = (segments: readonly Segment[]): string =>
    // '!' sorts before every character of a literal, '~' after them.
    segments.map((part) => ('literal' in part ? `!${part.literal}` : '~')).join('/');
  const [left, right] = [text(a.binding.segments), text(b.binding.segments)];
  return left < right ? -1 : left > right ? 1 : 0;
}
