import { openSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, toJson } from '@bufbuild/protobuf';
import { type ConnectRouter, createClient, createRouterTransport, type Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import Koa from 'koa';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createGateway } from '../../gateway/service.js';
import { systemClock } from '../../kit/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors.js';
import { batchedDestination, silentLog } from '../../kit/log.js';
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
// Enough that the asking process is never idle: waking it would be counted as ours.
const CONNECTIONS = 64;
const KEYS = 50;

/**
 * Rows P14 and P15: the edge against bare Koa, and against bare Koa that makes one bare Connect call and answers with the same
 * JSON. Both servers run in this process, saturated in turn by another one. What is compared is answers per second of this
 * process's CPU time: on an idle machine that is the throughput, and it stays true on a busy one. The edge works in full: log
 * lines (to /dev/null), metrics, request ids, traces, keys spread over 50 callers.
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
    const edge = async (transport: Transport): Promise<number> => {
      const { port, close } = await startEdge(transport);
      closers.push(close);
      return port;
    };
    const peer = async (answer: Koa.Middleware): Promise<number> => {
      const { port, close } = await startPeer(answer);
      closers.push(close);
      return port;
    };
    const inMemory = createRouterTransport(bare.routes);
    const ours = await edge(joinInMemory(bare, undefined));
    const oursOverSocket = await edge(connectTo({ url, service: bare.name, meshToken: undefined }));
    const oursWithOnion = await edge(joinInMemory(real, undefined));
    const refusal = { error: 'unauthorized', message: UNAUTHORIZED_MESSAGE };
    const bare401 = await peer((context) => {
      context.status = 401;
      context.body = refusal;
    });
    const bare404 = await peer((context) => {
      context.status = 404;
      context.body = {
        error: 'not_found',
        message: 'There is no such route. Paths begin with /v1 and have no trailing slash.',
      };
    });
    const bareHop = await peer(oneCall(inMemory));
    const bareSocketHop = await peer(oneCall(createGrpcTransport({ baseUrl: url })));

    const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`;
    const gets = keys().map((key) => get('/v1/devices/phone-1', `Authorization: ${key}\r\n`));
    const rows: { what: string; ours: number; theirs: number; requests: string[]; status: number; goal?: number }[] = [
      {
        what: 'P14 edge without a hop, 401',
        ours,
        theirs: bare401,
        requests: [get('/v1/devices/a')],
        status: 401,
        goal: 0.6,
      },
      {
        what: 'P14 edge without a hop, 404',
        ours,
        theirs: bare404,
        requests: [get('/v1/nothing')],
        status: 404,
        goal: 0.6,
      },
      { what: 'P15 edge with one hop, in memory', ours, theirs: bareHop, requests: gets, status: 200, goal: 0.8 },
      {
        what: 'P15 edge with one hop, gRPC over loopback',
        ours: oursOverSocket,
        theirs: bareSocketHop,
        requests: gets,
        status: 200,
        goal: 0.8,
      },
      {
        what: "P15 in memory, with the service's own keys, validation and metrics",
        ours: oursWithOnion,
        theirs: bareHop,
        requests: gets,
        status: 200,
      },
    ];
    for (const { what, ours, theirs, goal, ...load } of rows) {
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
    ours: `${Math.round(perCpuSecond.ours)} answers per CPU second`,
    theirs: `${Math.round(perCpuSecond.theirs)}`,
    ratio,
    goal: goal === undefined ? 'for information' : `>= ${goal}`,
    holds: goal === undefined || ratio.median >= goal,
  };
}

/** Answers per second of this process's CPU time. */
async function measure(question: Question): Promise<number> {
  const before = process.cpuUsage();
  const answers = await measureLoad({ ...question, connections: CONNECTIONS, durationMs: SAMPLE_MS });
  const { user, system } = process.cpuUsage(before);
  return answers / ((user + system) / 1_000_000);
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

/** A device service that knows its answer already, so that what is measured is the way to it. */
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

async function startEdge(transport: Transport): Promise<{ port: number; close: () => Promise<void> }> {
  const gateway = createGateway({
    clock: systemClock,
    log: pino({ level: 'info', base: null }, batchedDestination(openSync('/dev/null', 'w'))),
    metrics: new Registry(),
    contracts: [{ descriptor: DeviceService, transport }],
    authenticate: callers().authenticate,
    // Counted and never met: what is measured is the edge, not its patience.
    limits: { keyRequestsMax: 1e9, deviceRequestsMax: 1e9, strangerRequestsMax: 1e9 },
  });
  const listener = await gateway.listen('127.0.0.1', 0);
  return { port: listener.port, close: () => listener.close() };
}

async function startPeer(answer: Koa.Middleware): Promise<{ port: number; close: () => void }> {
  const app = new Koa();
  app.use(answer);
  const callback = app.callback();
  const server: Server = createServer((request, response) => void callback(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** What anyone would write without us: one call, its answer as JSON by the protobuf library. */
function oneCall(transport: Transport): Koa.Middleware {
  const client = createClient(DeviceService, transport);
  return async (context) => {
    const answer = await client.getDevice({ name: 'phone-1' });
    context.body = toJson(GetDeviceResponseSchema, answer, { useProtoFieldName: true, alwaysEmitImplicit: true });
  };
}
