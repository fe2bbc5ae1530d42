import { createContextKey, Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { isInternal } from './mesh.js';

/** Certificates for gRPC, PEM. */
export interface RpcTls {
  /**
   * This service's certificate with the certificate's key. The certificate is shown to clients, and to the services that this service
   * calls.
   */
  cert: string;
  key: string;
  /**
   * The authority that signs the certificates of all services. With it, services verify each other, and internal rpcs need a client
   * certificate of that authority (mutual TLS). Absent: the ports are encrypted, and internal rpcs need the shared token.
   */
  ca?: string;
}

/** Whether the client of a connection showed a certificate of our authority. Undefined where none is requested. */
export const peerKey = createContextKey<boolean | undefined>(undefined, {
  description: 'a client certificate of ours',
});

/** The address of a connection's client, as requests are counted by it. Undefined: the rpc came in memory. */
export const peerAddressKey = createContextKey<string | undefined>(undefined, { description: "the client's address" });

/**
 * Refuses internal rpcs of clients without a certificate of our authority. It is used on servers whose services verify each other by
 * certificate.
 */
export const requirePeerCertificate: Interceptor = (next) => (request) => {
  assertPeer(request.method, request.contextValues.get(peerKey) === true);
  return next(request);
};

/** Throws permission_denied for an internal rpc of a client without a certificate of our authority. */
export function assertPeer(method: Parameters<typeof isInternal>[0], isPeer: boolean): void {
  if (!isInternal(method) || isPeer) return;
  // No ApiError is thrown: a missing certificate is a fault of our own services, and the customer gets `internal` for it.
  throw new ConnectError('This rpc is for services with a certificate of the same authority.', Code.PermissionDenied);
}
