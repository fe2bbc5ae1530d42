import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { CALL_LIMITS, CallBounds, type CallLimits } from './call-bounds.js';
import { boundTimeout } from './bound-timeout.js';
import { BODY_LIMITS, type BodyLimits, guardedBody, HeldBytes } from './guarded-body.js';
import { needsNoCredential } from './mesh.js';
import { plainGrpcMessages } from './grpc-message.js';
import { systemClock } from '../clock.js';
import { boundConnections } from '../bound-connections.js';
import { listenOn } from '../listen-on.js';
import { parseUrl } from '../parse-url.js';
import { type Log, silentLog } from '../log.js';
import { Readiness } from '../ops/readiness.js';
import { HealthBoard } from './health.js';
import { timeoutMsOf } from './call-crossing.js';
import { codeOf } from './call-log.js';
import { REFLECTION, registerReflection } from './reflection.js';
import { assertPeer, peerKey, requirePeerCertificate, type RpcTls } from './tls.js';
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
  /** Those that differ from RPC_LIMITS. */
  limits?: Partial<RpcLimits>;
}

export interface RpcListener {
  /** The port it got. */
  port: number;
  /** Notifies health watchers, lets running calls end, then closes. */
  close(): Promise<void>;
}

/** What a port gives to its clients. */
export interface RpcLimits extends BodyLimits, CallLimits {
  /** Connections at the same time; further ones are closed at once. A process of ours has one to each service. */
  connectionsMax: number;
  /** Those of one address, or of one /64 in IPv6. */
  connectionsOfAddressMax: number;
  /** How long a connection may be open before its first call, ms. */
  firstCallMs: number;
  /** How long a connection without calls is kept, ms: longer than our own clients keep theirs, which is 15 minutes. */
  idleMs: number;
}

const RPC_LIMITS: RpcLimits = {
  ...BODY_LIMITS,
  ...CALL_LIMITS,
  connectionsMax: 1_000,
  connectionsOfAddressMax: 200,
  firstCallMs: 30_000,
  idleMs: 20 * 60_000,
};

/** Calls at the same time in one connection; a gateway has one to each service, and its waits for jobs take one each. */
export const STREAMS_MAX = 1_000;

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
  const methods = methodsByPath([...contracts, ...REFLECTION]);
  const limits = { ...RPC_LIMITS, ...options.limits };
  const health = new HealthBoard(contracts, readiness);
  const handle = connectNodeAdapter({
    routes: (router) => {
      service.routes(router);
      health.register(router);
      registerReflection(router, contracts);
    },
    interceptors: [...(isMutual ? [requirePeerCertificate] : []), ...service.interceptors],
    contextValues: ({ socket }) =>
      createContextValues().set(peerKey, isMutual ? (socket as TLSSocket).authorized : undefined),
    readMaxBytes: REQUEST_MAX_BYTES,
  });
  const settings = { maxConcurrentStreams: STREAMS_MAX };
  const server =
    tls === undefined
      ? createServer({ settings })
      : // Clients without a certificate may call public rpcs with a key: they are refused at internal ones, not when connecting.
        createSecureServer({ ...tls, settings, requestCert: isMutual, rejectUnauthorized: false });
  const bounds = new CallBounds(limits);
  // Three, so that callers cannot take the room of our services, nor strangers that of either.
  const ofOurs = new HeldBytes(limits.portBytes);
  const ofCallers = new HeldBytes(limits.portBytes);
  const ofStrangers = new HeldBytes(limits.strangersBytes);
  const ofConnection = new WeakMap<object, HeldBytes>();
  const heldBy = (connection: object): HeldBytes => {
    const held = ofConnection.get(connection) ?? new HeldBytes(limits.connectionBytes);
    ofConnection.set(connection, held);
    return held;
  };
  /** Has Connect read the call's body within the bounds, once the call is admitted. */
  const guard = (
    method: DescMethod,
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    fault: string | undefined,
  ): void => {
    const { stream } = request;
    const headers = headersOf(request);
    const beganMs = systemClock.monotonicMs();
    /** Records an rpc whose interceptors begin only after the message is there. Other rpcs are recorded by their interceptors. */
    const record = (error: unknown): void => {
      if (method.methodKind !== 'unary') return;
      service.recordUnread?.(method, { code: codeOf(error), durationMs: systemClock.monotonicMs() - beganMs });
    };
    const isPeer = isMutual && (request.socket as TLSSocket).authorized;
    const isOurs = isPeer || service.showsToken?.(headers) === true;
    const port = isOurs ? ofOurs : needsNoCredential(method) ? ofStrangers : ofCallers;
    const call = isOurs ? undefined : bounds.begin(method, request, response);
    const admit = async (): Promise<void> => {
      call?.assertRoom();
      if (fault !== undefined) throw new ConnectError(fault, Code.InvalidArgument);
      if (isMutual) assertPeer(method, isPeer);
      const caller = await service.admit?.(method, headers);
      if (caller !== undefined) call?.isOf(caller);
    };
    request[Symbol.asyncIterator] = () =>
      guardedBody(request, {
        admit,
        onRefused: record,
        enveloped: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
        connection: heldBy(stream.session ?? stream),
        port,
        shareBytes: limits.portBytes / limits.connectionsMax,
        // Connect reads on when the time of the call is up, and would serve it.
        messageMs: Math.min(limits.messageMs, timeoutMsOf(headers)),
        clock: systemClock,
      });
  };
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // What a refused client still sends is not read.
    response.once('finish', () => request.stream.close());
    const method = methods.get(pathOf(request));
    if (method === undefined || !isAddressable(request)) {
      response.writeHead(method === undefined ? 404 : 400).end();
      return;
    }
    // Before Connect reads them.
    const fault = boundTimeout(request.headers);
    plainGrpcMessages(response);
    guard(method, request, response, fault);
    handle(request, response);
  });
  server.maxConnections = limits.connectionsMax;
  boundConnections(server, limits.connectionsOfAddressMax);
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    closeWhenUnused(session, limits);
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

/** The rpcs of contracts by the path of their requests. */
function methodsByPath(contracts: readonly DescService[]): Map<string, DescMethod> {
  return new Map(
    contracts.flatMap(({ typeName, methods }) => methods.map((method) => [`/${typeName}/${method.name}`, method])),
  );
}

function pathOf({ url }: Http2ServerRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** Whether Connect can make a URL of the request; it throws outside the call for another one. */
function isAddressable({ authority, url }: Http2ServerRequest): boolean {
  return (authority as string | undefined) !== undefined && parseUrl(url, `http://${authority}`) !== undefined;
}

/** Closes a connection that has not had a call for `firstCallMs`, and one that has had neither a call nor traffic for `idleMs`. */
function closeWhenUnused(session: ServerHttp2Session, { firstCallMs, idleMs }: RpcLimits): void {
  let calls = 0;
  const unused = systemClock.after(firstCallMs, () => session.destroy());
  session.once('close', () => unused.cancel());
  session.on('stream', (stream) => {
    unused.cancel();
    calls++;
    stream.once('close', () => calls--);
  });
  session.setTimeout(idleMs, () => {
    // One that waits for a reply is in use. The end of the call begins the time anew.
    if (calls === 0) session.close();
  });
}

function headersOf({ headers }: Http2ServerRequest): Headers {
  return new Headers(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      name.startsWith(':') || value === undefined ? [] : [[name, String(value)]],
    ),
  );
}

function startedReadiness(): Readiness {
  const readiness = new Readiness({ clock: systemClock, log: silentLog });
  readiness.start();
  return readiness;
}
