import Router from '@koa/router';
import { decodePercent } from '../json/query.js';
import type { Segment } from './http-rule.js';
import type { Route } from './route.js';

/** A request's route and its path parameters, percent-decoded, in the order of the template. */
export interface Match {
  route: Route;
  pathValues: readonly string[];
}

export type FindRoute = (method: string, path: string) => Match | { allowed: readonly string[] } | undefined;

/**
 * Matching by @koa/router, strictly: a trailing slash, another case or an empty segment is another path. Literal segments go before
 * parameters, whatever the order of the contracts. HEAD finds GET routes.
 *
 * Answers undefined for a path that no route has, and the methods that are allowed when only the method is wrong; throws bad_request
 * for broken percent-encoding in a path. Building it throws when two routes share method and path.
 */
export function createRouteTable(routes: readonly Route[]): FindRoute {
  const router = new Router({ strict: true, sensitive: true });
  const byLayer = new Map<object, Route>();
  const seen = new Map<string, Route>();
  for (const route of [...routes].sort(literalsFirst)) {
    const path = `/${route.binding.segments.map((part) => ('literal' in part ? part.literal : `:${part.field}`)).join('/')}`;
    const key = `${route.method} ${path.replace(/:\w+/g, ':')}`;
    const twin = seen.get(key);
    if (twin !== undefined)
      throw new Error(`${route.rpc.toString()} and ${twin.rpc.toString()} have the same route ${key}`);
    seen.set(key, route);
    byLayer.set(router.register(path, [route.method], unused), route);
  }
  return (method, path) => {
    const found = router.match(path, method);
    const layer = found.pathAndMethod[0];
    if (layer !== undefined) {
      const route = byLayer.get(layer);
      if (route === undefined) throw new Error(`no route was registered for ${path}`);
      return { route, pathValues: layer.captures(path).map((value) => decodePercent(value, 'the path')) };
    }
    if (found.path.length === 0) return undefined;
    return { allowed: [...new Set(found.path.flatMap(({ methods }) => methods))].sort() };
  };
}

/** The router is asked for matches only; what runs then is the onion's business, the same for every route. */
function unused(): never {
  throw new Error('routes are not run by the router');
}

function literalsFirst(a: Route, b: Route): number {
  const text = (segments: readonly Segment[]): string =>
    // '!' sorts before every character of a literal, '~' is after them.
    segments.map((part) => ('literal' in part ? `!${part.literal}` : '~')).join('/');
  const [left, right] = [text(a.binding.segments), text(b.binding.segments)];
  return left < right ? -1 : left > right ? 1 : 0;
}
