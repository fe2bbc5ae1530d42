import { createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { plainGrpcMessages } from './grpc-message.js';
import { systemClock } from '../clock.js';
import { silentLog } from '../log.js';
import { Readiness } from '../ops/readiness.js';
import { HealthBoard } from './health.js';
import { registerReflection } from './reflection.js';
import { REQUEST_MAX_BYTES, type RpcService } from './rpc-service.js';

export interface RpcListenOptions {
  /** Address to listen on, for example 127.0.0.1. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Whether callers must show a credential for internal rpcs. Without one only loopback is allowed. */
  guarded: boolean;
  /** What health tells. Absent: that it serves until it closes. */
  readiness?: Readiness;
}

export interface RpcListener {
  /** The port it got. */
  port: number;
  /** Tells health watchers, lets running calls end, then closes. */
  close(): Promise<void>;
}

/** Calls at the same time in one connection; a gateway has one to each service, and its waits for jobs take one each. */
export const STREAMS_MAX = 1_000;

/** How long running calls may go on once the listener closes, ms; streams are cut then. */
const DRAIN_MS = 5_000;

/** Serves gRPC, gRPC-Web and Connect over cleartext HTTP/2 (h2c), with health and reflection. */
export async function listenRpc(service: RpcService, options: RpcListenOptions): Promise<RpcListener> {
  const { host, port, guarded, readiness = startedReadiness() } = options;
  if (!guarded && !/^(127\.|::1$|localhost$)/.test(host)) {
    throw new Error(
      `${service.name} must not listen on ${host} without MESH_TOKEN: anyone there could call internal rpcs.`,
    );
  }
  const contracts = [...service.contracts, Health];
  const health = new HealthBoard(contracts, readiness);
  const handle = connectNodeAdapter({
    routes: (router) => {
      service.routes(router);
      health.register(router);
      registerReflection(router, contracts);
    },
    interceptors: service.interceptors,
    readMaxBytes: REQUEST_MAX_BYTES,
  });
  const server = createServer({ settings: { maxConcurrentStreams: STREAMS_MAX } }, (request, response) => {
    plainGrpcMessages(response);
    handle(request, response);
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    // A client that breaks off is its own business.
    session.on('error', () => session.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} on ${host}, wanted by ${service.name}, is taken by another program.`)
          : error,
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        readiness.stop();
        server.close(() => resolve());
        for (const session of sessions) session.close();
        const cut = AbortSignal.timeout(DRAIN_MS);
        cut.addEventListener('abort', () => {
          for (const session of sessions) session.destroy();
        });
      }),
  };
}

function startedReadiness(): Readiness {
  const readiness = new Readiness({ clock: systemClock, log: silentLog });
  readiness.start();
  return readiness;
}
