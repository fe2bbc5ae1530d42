import { createContextKey, Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { isInternal } from './mesh.js';

/** Certificates for gRPC, PEM. */
export interface RpcTls {
  /** This service's certificate, and its key: shown to its clients, and to the services that it calls. */
  cert: string;
  key: string;
  /**
   * The authority that signs the certificates of all services. With it, services verify each other, and internal rpcs need a client
   * certificate of it (mutual TLS). Absent: the ports are encrypted, and internal rpcs need the shared token.
   */
  ca?: string;
}

/** Whether the client of a connection showed a certificate of our authority. */
export const peerKey = createContextKey(false, { description: 'a client certificate of ours' });

/** Server side, where services verify each other by certificate: refuses internal rpcs without one. */
export const requirePeerCertificate: Interceptor = (next) => (request) => {
  if (isInternal(request.method) && !request.contextValues.get(peerKey)) {
    // No ApiError: between our services this is a fault of ours, and the customer of the other end gets `internal` for it.
    throw new ConnectError('This rpc is for services with a certificate of the same authority.', Code.PermissionDenied);
  }
  return next(request);
};
