import type { Layer } from '../exchange.js';
import { splitTarget } from '../http/target.js';
import { randomHex } from '../trace.js';

/** 1 to 128 printable ASCII characters: what fits into a header and a log line as it is. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** Gives the request its id (the caller's own, when it is usable) and starts the answer with the id. */
export const nameRequest: Layer = (context, next) => {
  const { headers, url = '/' } = context.req;
  const { path, query } = splitTarget(url);
  const own = headers['x-request-id'];
  const requestId = typeof own === 'string' && REQUEST_ID.test(own) ? own : `req_${randomHex()}`;
  context.state = { requestId, path, query, headers: ['X-Request-Id', requestId] };
  return next();
};
