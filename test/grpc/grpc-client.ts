import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export type GrpcClient = grpc.Client & Record<string, (...values: unknown[]) => grpc.ClientReadableStream<unknown>>;
type ClientConstructor = new (address: string, credentials: grpc.ChannelCredentials) => GrpcClient;

/** @grpc/grpc-js with our proto files: clients that we did not write. `close` closes all of them. */
export class GrpcClients {
  readonly #made: GrpcClient[] = [];

  /** A client of `service` (its full name), which `file` defines. */
  client(file: string, service: string, address: string, credentials = grpc.credentials.createInsecure()): GrpcClient {
    const definition = loadSync(file, {
      includeDirs: ['proto', 'proto/deps'],
      keepCase: true,
      enums: String,
      defaults: true,
    });
    const loaded = service
      .split('.')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], grpc.loadPackageDefinition(definition));
    const made = new (loaded as ClientConstructor)(address, credentials);
    this.#made.push(made);
    return made;
  }

  close(): void {
    for (const client of this.#made) client.close();
  }
}

/** Metadata with a credential; without one when `key` is undefined. */
export function metadataOf(key: string | undefined): grpc.Metadata {
  const metadata = new grpc.Metadata();
  if (key !== undefined) metadata.set('authorization', `Bearer ${key}`);
  return metadata;
}

/** One unary call. Rejects with grpc-js's own error. */
export function unary<T>(client: GrpcClient, method: string, request: unknown, metadata: grpc.Metadata): Promise<T> {
  return new Promise((resolve, reject) => {
    client[method]!(request, metadata, (error: grpc.ServiceError | null, response: T) =>
      error === null ? resolve(response) : reject(error),
    );
  });
}

/** The status that a call ends with. */
export function statusOf(call: Promise<unknown>): Promise<grpc.status> {
  return call.then(
    () => grpc.status.OK,
    (error: unknown) => (error as grpc.ServiceError).code,
  );
}
