import { randomUUID } from 'node:crypto';
import type { Layer } from '../exchange.js';
import { splitTarget } from '../http/target.js';

/** 1 to 128 printable ASCII characters: what fits into a header and a log line as it is. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** W3C trace context, version 00; ids of nothing but zeros are not valid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Gives the request its id (the caller's own, when it is usable) and its trace, and starts the answer with the id. */
export const nameRequest: Layer = (context, next) => {
  const { headers, url = '/' } = context.req;
  const { path, query } = splitTarget(url);
  const own = headers['x-request-id'];
  const requestId = typeof own === 'string' && REQUEST_ID.test(own) ? own : `req_${randomHex()}`;
  const trace = headers['traceparent'];
  const traceparent = typeof trace === 'string' && TRACEPARENT.test(trace) ? trace : createTraceparent();
  context.state = { requestId, traceparent, path, query };
  context.res.setHeader('X-Request-Id', requestId);
  return next();
};

/** A new trace that asks nobody to record it (flags 00): whoever wants traces recorded sends a traceparent that says so. */
function createTraceparent(): string {
  return `00-${randomHex()}-${randomHex().slice(0, 16)}-00`;
}

/** 32 hex digits, 122 of their bits random. Unlike randomBytes, randomUUID draws from a pool; that is 10 % of a refused request. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
