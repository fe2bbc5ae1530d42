import { createRouterTransport, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { directCalls } from './direct-calls.js';
import { receiveErrors } from './error-crossing.js';
import { clientInterceptors } from './interceptors.js';
import { READ_MAX_BYTES, type RpcService } from './rpc-service.js';

/**
 * The way to a service in the same process. Unary calls go straight to the implementation, behind the same interceptors; streams
 * take Connect's own way in memory, through the codec.
 */
export function joinInMemory(service: RpcService, meshToken: string | undefined): Transport {
  const interceptors = clientInterceptors(meshToken);
  const throughCodec = createRouterTransport(service.routes, {
    router: { interceptors: service.interceptors, readMaxBytes: READ_MAX_BYTES },
    transport: { interceptors, readMaxBytes: READ_MAX_BYTES },
  });
  const unary = directCalls(service, interceptors);
  return receiveErrors({ unary, stream: throughCodec.stream.bind(throughCodec) }, service.name);
}

/** The way to a service elsewhere, by gRPC over HTTP/2. `service` names it for people: "the screen service". */
export function connectTo(options: { url: string; service: string; meshToken: string | undefined }): Transport {
  const transport = createGrpcTransport({
    baseUrl: options.url,
    interceptors: clientInterceptors(options.meshToken),
    readMaxBytes: READ_MAX_BYTES,
    // Finds out within seconds that the other end has gone without a word.
    pingIntervalMs: 10_000,
    pingTimeoutMs: 3_000,
  });
  return receiveErrors(transport, options.service);
}
