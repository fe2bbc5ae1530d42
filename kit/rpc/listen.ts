import { createSecureServer, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '../../proto/gen/grpc/health/v1/health_pb.js';
import { CALL_LIMITS, CallBounds, type CallLimits } from './call-bounds.js';
import { boundTimeout } from './bound-timeout.js';
import { BODY_LIMITS, type BodyLimits, guardedBody, HeldBytes } from './guarded-body.js';
import { needsNoCredential } from './mesh.js';
import { plainGrpcMessages } from './grpc-message.js';
import { systemClock } from '../async/clock.js';
import { boundConnections } from '../net/bound-connections.js';
import { clientAddress } from '../net/client-address.js';
import { TLS_OPTIONS } from '../https/tls-options.js';
import { listenOn } from '../net/listen-on.js';
import { parseUrl } from '../text/parse-url.js';
import { type Log, silentLog } from '../log/log.js';
import { Readiness } from '../ops/readiness.js';
import { HealthBoard } from './health.js';
import { timeoutMsOf } from './call-crossing.js';
import { codeOf } from './call-log.js';
import { type ConnectionLimits, RpcConnections } from './rpc-connections.js';
import { REFLECTION, registerReflection } from './reflection.js';
import {
  isUnauthenticated,
  noteCredentials,
  ANONYMOUS_LIMITS,
  anonymousCallKey,
  type AnonymousLimits,
  AnonymousClients,
} from './anonymous-clients.js';
import { assertPeer, peerAddressKey, peerKey, requirePeerCertificate, type RpcTls } from './tls.js';
import { MAX_REQUEST_BYTES, type RpcService } from './rpc-service.js';
import { MAX_SESSION_MB, WINDOW_BYTES } from './transport.js';

export interface RpcListenOptions {
  /** Address to listen on, for example 127.0.0.1. */
  host: string;
  /** The port to listen on; 0 picks a free one. */
  port: number;
  /** Whether the service requires the shared token for internal rpcs. Without it, and without `tls.ca`, only loopback is allowed. */
  guarded: boolean;
  /** Absent: cleartext (h2c). */
  tls?: RpcTls | undefined;
  /** Connections that cannot be accepted are logged here. Absent: nothing is logged. */
  log?: Log;
  /** The health to report. Absent: serving until it closes. */
  readiness?: Readiness;
  /** Limits that differ from RPC_LIMITS. */
  limits?: Partial<RpcLimits>;
}

export interface RpcListener {
  /** The port that it listens on. */
  port: number;
  /** Notifies health watchers, lets running calls end, then closes. */
  close(): Promise<void>;
}

/** The limits of a port for its clients. */
export interface RpcLimits extends BodyLimits, CallLimits, ConnectionLimits, AnonymousLimits {
  /** Most connections at the same time; further ones are closed at once. Each process of ours has one connection to each service. */
  maxConnections: number;
  /** Most connections of one address, or of one /64 in IPv6. */
  maxConnectionsOfAddress: number;
}

const RPC_LIMITS: RpcLimits = {
  ...BODY_LIMITS,
  ...CALL_LIMITS,
  ...ANONYMOUS_LIMITS,
  maxConnections: 1_000,
  maxConnectionsOfAddress: 200,
  firstCallMs: 30_000,
  idleMs: 20 * 60_000,
  pingMs: 10_000,
};

/** Most calls at the same time in one connection. A gateway has one connection to each service, and each wait for a job is a call. */
export const MAX_STREAMS = 1_000;

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
  const anonymousClients = new AnonymousClients(limits, systemClock);
  const handle = connectNodeAdapter({
    routes: (router) => {
      service.routes(router);
      health.register(router);
      registerReflection(router, contracts);
    },
    interceptors: [noteCredentials, ...(isMutual ? [requirePeerCertificate] : []), ...service.interceptors],
    contextValues: (request) =>
      createContextValues()
        .set(peerKey, isMutual ? (request.socket as TLSSocket).authorized : undefined)
        .set(peerAddressKey, clientAddress(request.socket.remoteAddress ?? ''))
        .set(anonymousCallKey, anonymousClients.callOf(request)),
    readMaxBytes: MAX_REQUEST_BYTES,
  });
  const shape = {
    settings: { maxConcurrentStreams: MAX_STREAMS, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: MAX_SESSION_MB,
  };
  const server =
    tls === undefined
      ? createServer(shape)
      : // Clients without a certificate may connect, as they may call public rpcs with a key. Internal rpcs refuse them.
        createSecureServer({ ...TLS_OPTIONS, ...tls, ...shape, requestCert: isMutual, rejectUnauthorized: false });
  const bounds = new CallBounds(limits);
  // Each group has its own room: callers cannot take that of our services, and anonymous clients cannot take that of callers.
  const ofOurs = new HeldBytes(limits.portBytes);
  const ofCallers = new HeldBytes(limits.portBytes);
  const ofAnonymous = new HeldBytes(limits.anonymousBytes);
  const ofConnection = new WeakMap<object, HeldBytes>();
  const heldBy = (connection: object): HeldBytes => {
    const held = ofConnection.get(connection) ?? new HeldBytes(limits.connectionBytes);
    ofConnection.set(connection, held);
    return held;
  };
  const isPeerOf = ({ socket }: Http2ServerRequest): boolean => isMutual && (socket as TLSSocket).authorized;
  const isOursOf = (request: Http2ServerRequest): boolean =>
    isPeerOf(request) || service.showsToken?.(headersOf(request)) === true;
  /** Replaces the reader of the body, so that Connect reads it within the bounds and only after the call is admitted. */
  const guard = (
    method: DescMethod,
    { request, response, isOurs, fault }: Exchange & { fault: string | undefined },
  ): void => {
    const { stream } = request;
    const headers = headersOf(request);
    const beganMs = systemClock.monotonicMs();
    /**
     * Notes a refusal. Records a unary rpc too, whose interceptors would begin only after its message. Interceptors of streams record
     * theirs.
     */
    const record = (error: unknown): void => {
      if (isUnauthenticated(error)) anonymousClients.callOf(request)?.disprove();
      if (method.methodKind !== 'unary') return;
      service.recordUnread?.(method, { code: codeOf(error), durationMs: systemClock.monotonicMs() - beganMs });
    };
    const port = isOurs ? ofOurs : needsNoCredential(method) ? ofAnonymous : ofCallers;
    const call = isOurs ? undefined : bounds.begin(method, request, response);
    const admit = async (): Promise<void> => {
      call?.assertRoom();
      if (fault !== undefined) throw new ConnectError(fault, Code.InvalidArgument);
      if (isMutual) assertPeer(method, isPeerOf(request));
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
        shareBytes: limits.portBytes / limits.maxConnections,
        // Connect would read on after the timeout of the call, and then serve the call.
        messageMs: Math.min(limits.messageMs, timeoutMsOf(headers)),
        clock: systemClock,
      });
  };
  const serve = ({ request, response, isOurs }: Exchange): void => {
    const method = methods.get(pathOf(request));
    if (method === undefined || !isAddressable(request)) {
      response.writeHead(method === undefined ? 404 : 400).end();
      return;
    }
    // The timeout in the headers is bounded before Connect reads it.
    const fault = boundTimeout(request.headers);
    plainGrpcMessages(response);
    guard(method, { request, response, isOurs, fault });
    handle(request, response);
  };
  server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
    // The stream is closed after the response, so that nothing more is read from a refused client.
    response.once('finish', () => request.stream.close());
    const exchange = { request, response, isOurs: isOursOf(request) };
    // Without a token or certificates, our services cannot be distinguished from anonymous clients, and everybody on this machine may call
    // internal rpcs.
    if (exchange.isOurs || !(guarded || isMutual)) serve(exchange);
    else
      anonymousClients.begin(
        request,
        () => serve(exchange),
        (text) => refuseBeforeReading(exchange, text),
      );
  });
  server.maxConnections = limits.maxConnections;
  boundConnections(server, limits.maxConnectionsOfAddress);
  const connections = new RpcConnections(server, limits, systemClock);
  const wanted = `by ${service.name}`;
  return {
    port: await listenOn(server, { host, port, wanted, hostSetting: 'the host of its gRPC port', log }),
    close: () => {
      readiness.stop();
      return connections.close();
    },
  };
}

interface Exchange {
  request: Http2ServerRequest;
  response: Http2ServerResponse;
  /** Whether the request comes from a service of ours. */
  isOurs: boolean;
}

/** Responds, in the form of the request's protocol, that the caller has sent too many requests. Connect does not see the request. */
function refuseBeforeReading({ request, response }: Exchange, text: string): void {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/grpc')) {
    response
      .writeHead(200, { 'content-type': type, 'grpc-status': Code.ResourceExhausted, 'grpc-message': text })
      .end();
  } else {
    const code = codeToString(Code.ResourceExhausted);
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message: text }));
  }
}

/** Returns the rpcs of the contracts by the paths of their requests. */
function methodsByPath(contracts: readonly DescService[]): Map<string, DescMethod> {
  return new Map(
    contracts.flatMap(({ typeName, methods }) => methods.map((method) => [`/${typeName}/${method.name}`, method])),
  );
}

function pathOf({ url }: Http2ServerRequest): string {
  return url.split('?', 1)[0] ?? '';
}

/** Returns whether Connect can make a URL of the request. For any other request Connect throws where no call handles the error. */
function isAddressable({ authority, url }: Http2ServerRequest): boolean {
  return (authority as string | undefined) !== undefined && parseUrl(url, `http://${authority}`) !== undefined;
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
