import type { Layer, Refusal } from '../exchange.js';

const NO_HOST: Refusal = { kind: 'bad_request', message: 'The Host header is missing. HTTP/1.1 requires it.' };

/** Refuses an HTTP/1.1 request without Host, as RFC 9112 demands; HTTP/1.0 has no such header. */
export const requireHost: Layer = ({ req, state }, next) => {
  if (req.headers.host === undefined && req.httpVersionMinor === 1) {
    state.refusal = NO_HOST;
    return undefined;
  }
  return next();
};
