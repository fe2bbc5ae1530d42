import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware } from '../context.js';
import type { EdgeLimits } from '../limits.js';
import { UnderWay } from '../../kit/async/under-way.js';

/** How soon a request that was refused here may be sent again, s. Most requests take less. */
const RETRY_AFTER_S = 1;

/**
 * Bounds the requests of an account that are under way at the same time. A request that waits for a job or a screen lasts up to a minute.
 * The edge's connection to a service carries a bounded number of requests, of all accounts together.
 */
export function limitUnderWay({ maxRequestsUnderWay }: Pick<EdgeLimits, 'maxRequestsUnderWay'>): Middleware {
  const underWay = new UnderWay();
  return async (ctx, next) => {
    const { caller } = ctx.state.call;
    if (caller === undefined) {
      await next();
      return;
    }
    const { accountId } = caller;
    if (underWay.of(accountId) >= maxRequestsUnderWay) {
      throw new ApiError(
        'rate_limited',
        `${maxRequestsUnderWay} requests of this account are under way, the most that are possible. Wait for one of them, or wait for jobs by webhook.`,
        { retryAfterS: RETRY_AFTER_S },
      );
    }
    underWay.begin(accountId);
    try {
      await next();
    } finally {
      underWay.end(accountId);
    }
  };
}
