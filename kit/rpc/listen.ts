import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { plainGrpcMessages } from './grpc-message.js';
import { systemClock } from '../clock.js';
import { listenOn } from '../listen-on.js';
import { type Log, silentLog } from '../log.js';
import { Readiness } from '../ops/readiness.js';
import { HealthBoard } from './health.js';
import { registerReflection } from './reflection.js';
import { peerKey, requirePeerCertificate, type RpcTls } from './tls.js';
import { REQUEST_MAX_BYTES, type RpcService } from './rpc-service.js';

export interface RpcListenOptions {
  /** Address to listen on, for example 127.0.0.1. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Whether the service requires the shared token for internal rpcs. Without it, and without `tls.ca`, only loopback is allowed. */
  guarded: boolean;
  /** Absent: cleartext (h2c). */
  tls?: RpcTls | undefined;
  /** For connections that cannot be accepted. Absent: nothing is logged. */
  log?: Log;
  /** The health to report. Absent: serving until it closes. */
  readiness?: Readiness;
  /** Absent: CONNECTIONS_MAX and IDLE_MS. */
  limits?: { connectionsMax: number; idleMs: number };
}

export interface RpcListener {
  /** The port it got. */
  port: number;
  /** Notifies health watchers, lets running calls end, then closes. */
  close(): Promise<void>;
}

/** Calls at the same time in one connection; a gateway has one to each service, and its waits for jobs take one each. */
export const STREAMS_MAX = 1_000;

/** Connections at the same time; further ones are closed at once. A process of ours has one to each service. */
const CONNECTIONS_MAX = 1_000;

/** How long a connection without calls is kept, ms: longer than our own clients keep theirs, which is 15 minutes. */
const IDLE_MS = 20 * 60_000;

/** How long running calls may go on once the listener closes, ms; streams are cut then. */
const DRAIN_MS = 5_000;

/** Serves gRPC, gRPC-Web and Connect over HTTP/2, encrypted when there is a certificate, with health and reflection. */
export async function listenRpc(service: RpcService, options: RpcListenOptions): Promise<RpcListener> {
  const { host, port, guarded, tls, log = silentLog, readiness = startedReadiness() } = options;
  const isMutual = tls?.ca !== undefined;
  if (!guarded && !isMutual && !/^(127\.|::1$|localhost$)/.test(host)) {
    throw new Error(
      `${service.name} must not listen on ${host} without MESH_TOKEN or GRPC_TLS_CA: anyone there could call internal rpcs.`,
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
    interceptors: [...(isMutual ? [requirePeerCertificate] : []), ...service.interceptors],
    contextValues: ({ socket }) => createContextValues().set(peerKey, isMutual && (socket as TLSSocket).authorized),
    readMaxBytes: REQUEST_MAX_BYTES,
  });
  const settings = { maxConcurrentStreams: STREAMS_MAX };
  const server =
    tls === undefined
      ? createServer({ settings })
      : // Clients without a certificate may call public rpcs with a key: they are refused at internal ones, not when connecting.
        createSecureServer({ ...tls, settings, requestCert: isMutual, rejectUnauthorized: false });
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    plainGrpcMessages(response);
    handle(request, response);
  });
  const { connectionsMax, idleMs } = options.limits ?? { connectionsMax: CONNECTIONS_MAX, idleMs: IDLE_MS };
  server.maxConnections = connectionsMax;
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    closeWhenIdle(session, idleMs);
    session.on('close', () => sessions.delete(session));
    // A connection that breaks off ends its own calls only.
    session.on('error', () => session.destroy());
  });
  const wanted = `by ${service.name}`;
  return {
    port: await listenOn(server, { host, port, wanted, hostSetting: 'the host of its gRPC port', log }),
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

/** Closes a connection that has had neither a call nor traffic for `idleMs`. */
function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  let calls = 0;
  session.on('stream', (stream) => {
    calls++;
    stream.once('close', () => calls--);
  });
  session.setTimeout(idleMs, () => {
    // One that waits for a reply is in use. The end of the call begins the time anew.
    if (calls === 0) session.close();
  });
}

function startedReadiness(): Readiness {
  const readiness = new Readiness({ clock: systemClock, log: silentLog });
  readiness.start();
  return readiness;
}
