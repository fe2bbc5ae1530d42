import type { Middleware } from '../context.js';
import { discardRest, type DiscardOptions } from '../http/discard-rest.js';

/** Makes every response reach its client, also one that is complete before the request's body has come in. */
export function discardUnread(options: DiscardOptions): Middleware {
  return async (ctx, next) => {
    await next();
    // This comes before the response is sent. After it, Node itself would drop the rest of the body, however much comes.
    if (ctx.respond !== false) await discardRest(ctx.req, options, ctx.state.call);
  };
}
