import { openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toJson } from '@bufbuild/protobuf';
import { type ConnectRouter, createClient, createRouterTransport, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import Koa from 'koa';
import { Registry } from 'prom-client';
import { contractsOver } from '../../gateway/contracts.js';
import { createGateway, type GatewayOptions } from '../../gateway/service.js';
import { systemClock } from '../../kit/async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors/api-error.js';
import { FixedWindows } from '../../kit/async/fixed-windows.js';
import { createLog, linesTo, silentLog } from '../../kit/log/log.js';
import { CallerCache } from '../../kit/rpc/caller-cache.js';
import { serverInterceptors } from '../../kit/rpc/interceptors.js';
import { listenRpc } from '../../kit/rpc/listen.js';
import type { RpcService } from '../../kit/rpc/rpc-service.js';
import { connectTo, joinInMemory } from '../../kit/rpc/transport.js';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { DeviceSchema, DeviceState, ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService, GetDeviceResponseSchema } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { type Load, measureLoad } from './http-load.js';
import { inTurn, type Report, type Row } from './report.js';

const PAIRS = 7;
const SAMPLE_MS = 1_500;
// Enough that this process always has the next request.
const CONNECTIONS = 64;
const KEYS = 50;
const DEVICE = '/v1/devices/phone-1';

/**
 * Rows P14 and P15: the edge against bare Koa, and against bare Koa that makes one bare Connect call and responds with the same JSON. Both
 * servers run in this process, saturated in turn by another one. The figures are responses per second of this process's CPU time. On an
 * idle machine that is the throughput, and it stays true on a busy one. The edge works in full: every route, the product's log (to
 * /dev/null), metrics, request ids, traces, keys spread over 50 callers.
 */
export async function benchEdge(report: Report): Promise<void> {
  const closers: (() => Promise<void> | void)[] = [];
  const bare = bareService([]);
  const real = bareService(
    serverInterceptors({
      log: silentLog,
      clock: systemClock,
      metrics: new Registry(),
      authenticate: callers().authenticate,
      meshToken: undefined,
    }),
  );
  try {
    const listener = await listenRpc(bare, { host: '127.0.0.1', port: 0, guarded: false });
    closers.push(() => listener.close());
    const url = `http://127.0.0.1:${listener.port}`;
    const edge = async (transport: Transport, options: Partial<GatewayOptions> = {}): Promise<number> => {
      const { port, close } = await startEdge(transport, options);
      closers.push(close);
      return port;
    };
    const peer = async (response: Koa.Middleware): Promise<number> => {
      const { port, close } = await startPeer(response);
      closers.push(close);
      return port;
    };
    const inMemory = createRouterTransport(bare.routes);
    const ours = await edge(joinInMemory(bare, undefined));
    const oursOverSocket = await edge(connectTo({ url, service: bare.name, meshToken: undefined }));
    const oursWithOnion = await edge(joinInMemory(real, undefined));
    const oursUsedUp = await edge(joinInMemory(bare, undefined), {
      limits: { maxKeyRequests: 1 },
      // Windows that do not end while it is measured.
      openWindows: () => new FixedWindows({ clock: systemClock, windowMs: 3_600_000 }),
    });
    for (const authorization of keys()) await ask(oursUsedUp, DEVICE, { authorization });
    const bareHop = await peer(oneCall(inMemory));
    const bareSocketHop = await peer(oneCall(createGrpcTransport({ baseUrl: url })));

    const byKeys = keys().map((authorization) => get(DEVICE, { authorization }));
    const refusals: { what: string; ours: number; path: string; headers: Record<string, string>[] }[] = [
      { what: '401, no key', ours, path: DEVICE, headers: [{}] },
      { what: '401, wrong keys', ours, path: DEVICE, headers: keys().map((key) => ({ authorization: `${key}x` })) },
      { what: '404', ours, path: '/v1/nothing', headers: [{}] },
      { what: '429', ours: oursUsedUp, path: DEVICE, headers: keys().map((authorization) => ({ authorization })) },
    ];
    for (const { what, ours, path, headers } of refusals) {
      const { status, body } = await ask(ours, path, headers[0]);
      const theirs = await peer((context) => {
        context.status = status;
        context.body = body;
      });
      const load = { status, requests: headers.map((one) => get(path, one)) };
      report(
        await compare(`P14 edge without a hop, ${what}`, { ...load, port: ours }, { ...load, port: theirs }, 0.35),
      );
    }
    const hops: { what: string; ours: number; theirs: number; goal?: number }[] = [
      { what: 'P15 edge with one hop, in memory', ours, theirs: bareHop, goal: 0.65 },
      { what: 'P15 edge with one hop, gRPC over loopback', ours: oursOverSocket, theirs: bareSocketHop, goal: 0.72 },
      {
        what: "P15 in memory, with the service's own keys, validation and metrics",
        ours: oursWithOnion,
        theirs: bareHop,
      },
    ];
    for (const { what, ours, theirs, goal } of hops) {
      const load = { status: 200, requests: byKeys };
      report(await compare(what, { ...load, port: ours }, { ...load, port: theirs }, goal));
    }
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

type Question = Pick<Load, 'port' | 'requests' | 'status'>;

async function compare(what: string, ours: Question, theirs: Question, goal: number | undefined): Promise<Row> {
  const { ratio, ...perCpuSecond } = await inTurn(
    () => measure(ours),
    () => measure(theirs),
    PAIRS,
  );
  return {
    what,
    ours: `${Math.round(perCpuSecond.ours)} responses per CPU second`,
    theirs: `${Math.round(perCpuSecond.theirs)}`,
    ratio,
    goal: goal === undefined ? 'for information' : `>= ${goal}`,
    holds: goal === undefined || ratio.median >= goal,
  };
}

/** Responses per second of this process's CPU time. */
async function measure(question: Question): Promise<number> {
  const before = process.cpuUsage();
  const responses = await measureLoad({ ...question, connections: CONNECTIONS, durationMs: SAMPLE_MS });
  const { user, system } = process.cpuUsage(before);
  return responses / ((user + system) / 1_000_000);
}

/** A request as it is on the wire. */
function get(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n`;
}

/** Requests a response of ours and checks it. The peer then sends the same response. */
async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: object }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (!response.headers.has('ratelimit-remaining')) throw new Error(`${path}: the response has no rate limit`);
  if (response.status === 429 && !response.headers.has('retry-after'))
    throw new Error(`${path}: 429 without Retry-After`);
  return { status: response.status, body: (await response.json()) as object };
}

function keys(): string[] {
  return Array.from({ length: KEYS }, (_, number) => `Bearer cp_${String(number).padStart(40, '0')}`);
}

function callers(): CallerCache {
  const known = new Set(keys());
  const ask = async (authorization: string) => {
    if (!known.has(authorization)) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    return create(CallerSchema, {
      accountId: 'acc_1',
      keyId: authorization.slice(-4),
      scope: Scope.CONTROL,
      allDevices: true,
    });
  };
  return new CallerCache({ ask, clock: systemClock, ttlMs: 5_000 });
}

/** A device service that knows its response already, so that the way to it is measured. */
function bareService(interceptors: RpcService['interceptors']): RpcService {
  const device = create(DeviceSchema, {
    name: 'phone-1',
    model: 'pixel-8',
    android: '14',
    state: DeviceState.RUNNING,
    exit: { type: ExitType.MOBILE, country: 'de', timezone: 'Europe/Berlin', address: '192.0.2.7' },
    uptime: 77,
    minutesToday: 12,
    plan: Plan.MINUTE,
    screen: { width: 1080, height: 2400, density: 420 },
    driver: 'simulated',
    createdAt: { seconds: 1_795_194_000n, nanos: 0 },
  });
  return {
    name: 'the device service',
    contracts: [DeviceService],
    routes: (router: ConnectRouter) => {
      router.service(DeviceService, { getDevice: () => ({ device }) });
    },
    interceptors,
  };
}

async function startEdge(
  transport: Transport,
  options: Partial<GatewayOptions>,
): Promise<{ port: number; close: () => Promise<void> }> {
  const gateway = createGateway({
    clock: systemClock,
    log: createLog({ level: 'info', pretty: false }, linesTo(openSync('/dev/null', 'w'))),
    metrics: new Registry(),
    contracts: contractsOver({ device: transport, screen: transport, relay: transport, webhook: transport }),
    authenticate: callers().authenticate,
    ...options,
    // Counted and never reached: the edge is measured, not its limits.
    limits: {
      maxKeyRequests: 1e9,
      maxAccountRequests: 1e9,
      maxDeviceRequests: 1e9,
      maxAnonymousRequests: 1e9,
      ...options.limits,
    },
  });
  const listener = await gateway.listen('127.0.0.1', 0);
  return { port: listener.port, close: () => listener.close() };
}

async function startPeer(response: Koa.Middleware): Promise<{ port: number; close: () => void }> {
  const app = new Koa();
  app.use(response);
  const callback = app.callback();
  const server: Server = createServer((request, response) => void callback(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** The code that a user would write without us: one call, its response as JSON by the protobuf library. */
function oneCall(transport: Transport): Koa.Middleware {
  const client = createClient(DeviceService, transport);
  return async (context) => {
    const response = await client.getDevice({ name: 'phone-1' });
    context.body = toJson(GetDeviceResponseSchema, response, { useProtoFieldName: true, alwaysEmitImplicit: true });
  };
}
