import { HOST_REFUSED, type AllowedHosts } from '../../kit/allowed-hosts.js';
import { ApiError } from '../../kit/errors.js';
import type { Middleware } from '../context.js';

/** Refuses requests, WebSocket handshakes among them, whose Host header names no host of this service. */
export function checkHost(hosts: AllowedHosts): Middleware {
  return (ctx, next) => {
    // Not ctx.host, which a client can set behind a proxy, by X-Forwarded-Host.
    if (!hosts.has(ctx.req.headers.host)) throw new ApiError('forbidden', HOST_REFUSED);
    return next();
  };
}
