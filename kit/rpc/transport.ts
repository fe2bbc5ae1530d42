import { createRouterTransport, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { clientInterceptors } from './interceptors.js';
import { READ_MAX_BYTES, type RpcService } from './rpc-service.js';

/**
 * The way to a service in the same process: the real codec and interceptors without a socket, which is several times cheaper
 * than a hop over loopback.
 */
export function joinInMemory(service: RpcService, meshToken: string | undefined): Transport {
  return createRouterTransport(service.routes, {
    router: { interceptors: service.interceptors, readMaxBytes: READ_MAX_BYTES },
    transport: { interceptors: clientInterceptors({ service: service.name, meshToken }), readMaxBytes: READ_MAX_BYTES },
  });
}

/** The way to a service elsewhere, by gRPC over HTTP/2. `service` names it for people: "the screen service". */
export function connectTo(options: { url: string; service: string; meshToken: string | undefined }): Transport {
  return createGrpcTransport({
    baseUrl: options.url,
    interceptors: clientInterceptors(options),
    readMaxBytes: READ_MAX_BYTES,
    // Finds out within seconds that the other end has gone without a word.
    pingIntervalMs: 10_000,
    pingTimeoutMs: 3_000,
  });
}
