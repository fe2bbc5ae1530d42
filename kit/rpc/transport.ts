import { createRouterTransport, type Interceptor, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { sendCall } from './call-crossing.js';
import { receiveErrors } from './error-crossing.js';
import { showMeshToken } from './mesh.js';
import type { RpcTls } from './tls.js';
import { MAX_READ_BYTES, type RpcService } from './rpc-service.js';

/** Returns the transport to a service in the same process. It is Connect's in-memory transport, so calls behave as over a socket. */
export function joinInMemory(service: RpcService, meshToken: string | undefined): Transport {
  const transport = createRouterTransport(service.routes, {
    router: { interceptors: service.interceptors, readMaxBytes: MAX_READ_BYTES },
    transport: { interceptors: clientInterceptors(meshToken), readMaxBytes: MAX_READ_BYTES },
  });
  return receiveErrors(transport, service.name);
}

/**
 * What one HTTP/2 connection between two services may hold, megabytes. A gateway has one connection to a service, for all its streams. With
 * Node's default of 10, a few megabytes that wait on some streams would make every other call fail.
 */
export const MAX_SESSION_MB = 256;

/**
 * What one call may have sent before the other side has read it, bytes. With the protocol's default of 64 KiB, a stream of bytes waits after
 * each message.
 */
export const WINDOW_BYTES = 256 * 1024;

/** Returns the transport to a service elsewhere, by gRPC over HTTP/2. `service` is its name in errors, such as "the screen service". */
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
    nodeOptions: { ...options.tls, maxSessionMemory: MAX_SESSION_MB, settings: { initialWindowSize: WINDOW_BYTES } },
    readMaxBytes: MAX_READ_BYTES,
    // Pictures, video, files and ADB do not shrink, and packing them costs more than sending them between two services.
    acceptCompression: [],
    // Finds out within seconds that the other end is gone, also when its machine sends nothing any more.
    pingIntervalMs: 10_000,
    pingTimeoutMs: 3_000,
  });
  return receiveErrors(transport, options.service);
}

/**
 * Most transports that are kept at a time, far above the relay services of an installation. Each start of a service elsewhere may have
 * another URL, so the least recently used ones are forgotten. Calls on a forgotten one go on, and its connection closes when it is idle.
 */
export const MAX_TRANSPORTS = 100;

/** Returns a function that returns the transport to a service at a URL, one for each URL: a transport keeps its connection. */
export function transportsTo(options: {
  service: string;
  meshToken: string | undefined;
  tls?: RpcTls | undefined;
}): (url: string) => Transport {
  const transports = new Map<string, Transport>();
  return (url) => {
    const transport = transports.get(url) ?? connectTo({ ...options, url });
    // The one used last is the last of the map.
    transports.delete(url);
    transports.set(url, transport);
    const [oldest] = transports.keys();
    if (transports.size > MAX_TRANSPORTS && oldest !== undefined) transports.delete(oldest);
    return transport;
  };
}

// Interceptors of servers are in another file. So programs that only make calls, as the operator's commands, do not load validation.

/** The interceptors of every rpc that we make, outermost first. Errors are converted outside them, by receiveErrors. */
function clientInterceptors(meshToken: string | undefined): Interceptor[] {
  return meshToken === undefined ? [sendCall] : [sendCall, showMeshToken(meshToken)];
}
