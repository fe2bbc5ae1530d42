import type { ServerCertificate } from '../https/server-certificate.js';
import type { RpcService } from '../rpc/rpc-service.js';

/**
 * A service as its `create…Service` returns it. It is at work until it is closed. The process that runs the service opens the gRPC port.
 */
export interface Service {
  rpc: RpcService;
  /**
   * Ends the calls that last, before the gRPC port closes: a port waits for calls, and these would not end. Absent: none lasts, or its caller
   * ends it.
   */
  leave?(): void;
  close(): Promise<void>;
}

/** A service that people and their programs reach by HTTP, as it is returned by the function that creates it. */
export interface WebService {
  /**
   * Serves the service at a port; by https if there is a certificate. Port 0 picks a free port. Throws an error of one line when the port
   * is taken.
   */
  listen(
    host: string,
    port: number,
    certificate?: ServerCertificate,
  ): Promise<{ port: number; close(): Promise<void> }>;
}
