import { HOST_REFUSED, type AllowedHosts } from '../../kit/net/allowed-hosts.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Middleware } from '../context.js';

/** Refuses requests, including WebSocket handshakes, whose Host header names no host of this service. */
export function checkHost(hosts: AllowedHosts): Middleware {
  return (ctx, next) => {
    // ctx.host is not used: behind a proxy, a client can set it by X-Forwarded-Host.
    if (!hosts.has(ctx.req.headers.host)) throw new ApiError('forbidden', HOST_REFUSED);
    return next();
  };
}
