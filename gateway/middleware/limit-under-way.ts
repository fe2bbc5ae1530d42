import { ApiError } from '../../kit/errors.js';
import type { Middleware } from '../context.js';
import type { EdgeLimits } from '../limits.js';
import { UnderWay } from '../../kit/under-way.js';

/** How soon a request that was refused here may be sent again, s: most requests take less. */
const RETRY_AFTER_S = 1;

/**
 * Bounds the requests of an account that are under way at the same time. Waits for jobs and for screens last up to a minute, and the
 * edge's connection to a service carries a bounded number of them, of all accounts together.
 */
export function limitUnderWay({ requestsUnderWayMax }: Pick<EdgeLimits, 'requestsUnderWayMax'>): Middleware {
  const underWay = new UnderWay();
  return async (ctx, next) => {
    const { caller } = ctx.state.call;
    if (caller === undefined) {
      await next();
      return;
    }
    const { accountId } = caller;
    if (underWay.of(accountId) >= requestsUnderWayMax) {
      throw new ApiError(
        'rate_limited',
        `${requestsUnderWayMax} requests of this account are under way, the most that are possible. Wait for one of them, or wait for jobs by webhook.`,
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
