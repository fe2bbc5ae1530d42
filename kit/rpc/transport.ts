import { createRouterTransport, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { clientInterceptors } from './client-interceptors.js';
import { receiveErrors } from './error-crossing.js';
import type { RpcTls } from './tls.js';
import { READ_MAX_BYTES, type RpcService } from './rpc-service.js';

/** The way to a service in the same process: Connect's own in-memory transport, so that it behaves as over a socket. */
export function joinInMemory(service: RpcService, meshToken: string | undefined): Transport {
  const transport = createRouterTransport(service.routes, {
    router: { interceptors: service.interceptors, readMaxBytes: READ_MAX_BYTES },
    transport: { interceptors: clientInterceptors(meshToken), readMaxBytes: READ_MAX_BYTES },
  });
  return receiveErrors(transport, service.name);
}

/** The way to a service elsewhere, by gRPC over HTTP/2. `service` names it for people: "the screen service". */
export function connectTo(options: {
  url: string;
  service: string;
  meshToken: string | undefined;
  /** Certificates, for https URLs. Absent: none is shown, and the system's authorities are trusted. */
  tls?: RpcTls | undefined;
}): Transport {
  const transport = createGrpcTransport({
    baseUrl: options.url,
    interceptors: clientInterceptors(options.meshToken),
    ...(options.tls !== undefined && { nodeOptions: { ...options.tls } }),
    readMaxBytes: READ_MAX_BYTES,
    // Finds out within seconds that the other end is gone, also when its machine sends nothing any more.
    pingIntervalMs: 10_000,
    pingTimeoutMs: 3_000,
  });
  return receiveErrors(transport, options.service);
}
