import { ApiError } from '../../kit/errors.js';
import type { Middleware } from '../context.js';

const ABSOLUTE_FORM = /^https?:\/\/[^/?]*\/?/i;

/**
 * Refuses requests without Host (RFC 9112, 3.2; HTTP/1.0 has no such header, and HTTP/2 :authority in its place), and turns a request target in absolute form
 * (`GET http://host/path`), which every server must accept (3.2.2), into its path. Koa's URL parser throws for some other targets,
 * so that they are refused here.
 */
export const checkTarget: Middleware = (ctx, next) => {
  const { headers, httpVersionMajor, httpVersionMinor } = ctx.req;
  if (headers.host === undefined && (httpVersionMajor === 2 || httpVersionMinor === 1)) {
    throw new ApiError('bad_request', 'The Host header is missing. HTTP/1.1 requires it.');
  }
  if (!ctx.url.startsWith('/')) {
    if (!ABSOLUTE_FORM.test(ctx.url))
      throw new ApiError('bad_request', 'The request target must be a path, such as /v1/devices.');
    ctx.url = ctx.url.replace(ABSOLUTE_FORM, '/');
  }
  return next();
};
