import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { startEmbeddedMongo } from '../../../embedded-mongo/embedded-mongo.js';
import { contractsOver } from '../../../gateway/contracts.js';
import { parseJson } from '../../../gateway/json/parse.js';
import { type Route, routesOf } from '../../../gateway/routes/route.js';
import { systemClock } from '../../../kit/async/clock.js';
import { Lifecycle } from '../../../kit/process/lifecycle.js';
import { silentLog } from '../../../kit/log/log.js';
import { connectMongo } from '../../../kit/db/mongo.js';
import { servingAt } from '../../../kit/rpc/health.js';
import { connectTo } from '../../../kit/rpc/transport.js';
import { openApi } from '../../../testing/openapi.js';
import { seededRandom } from '../../../testing/seeded-random.js';
import { until } from '../../../testing/until.js';
import { type MadeUpRequest, RequestMaker } from '../../rest/made-up-requests.js';
import { startWorld, type World } from '../../world.js';
import { DatabaseProxy } from '../database-proxy.js';
import { failPartsUntil } from './failing-parts.js';
import { screenRequests } from './screen-requests.js';

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** Callers at the same time. */
  atOnce: number;
}

export interface FuzzOutcome {
  /** How many requests ended in which way: the status or the code of a response, or the way in which the client gave up. */
  byEnd: Map<string, number>;
  /** Operations that were called, by REST and by gRPC. */
  operations: Set<string>;
  /** Reasons of rejections that nobody handled. */
  rejections: unknown[];
  /** Node's own warnings, such as of listeners that are kept. */
  warnings: string[];
  /** Sockets and timers of the process that were not there before; 0 of each when nothing is kept. */
  kept: Record<string, number>;
}

const DEVICES = ['one', 'two', 'three'];

/** The usual time of an operation that has not been finished yet, ms. */
const USUAL_MS = 150;

/** How long a client waits that does not hang up early, ms. */
const PATIENT_MS = 3_000;

/** Operations that end what all requests need. */
const LEFT_OUT = ['signOut', 'deleteKey', 'changePassword', 'deleteDevice'];

/**
 * Sends requests with deadlines and hang-ups at every moment of their usual time, while phones and database fail. Half go by REST, and half
 * to the services by gRPC. Responses are not judged here; what the process does is.
 */
export async function fuzzDeadlines({ requests, seed, atOnce }: FuzzOptions): Promise<FuzzOutcome> {
  const rejections: unknown[] = [];
  const warnings: string[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  const onWarning = (warning: Error): void => void warnings.push(`${warning.name}: ${warning.message}`);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', onRejection).on('warning', onWarning);
  const lifecycle = new Lifecycle(silentLog);
  try {
    const directory = mkdtempSync(join(tmpdir(), 'cloudphone-deadlines-'));
    lifecycle.onClose('folder', () => rmSync(directory, { recursive: true, force: true }));
    const server = lifecycle.add('database', await startEmbeddedMongo({ directory, log: silentLog }));
    const proxy = lifecycle.add('proxy', await DatabaseProxy.open(server.url));
    const openDatabase = () => connectMongo({ url: proxy.url, database: 'deadlines', log: silentLog });
    const world = lifecycle.add('world', await startWorld({ openDatabase }));
    for (const name of DEVICES) await world.api.createPhone({ name });
    const callers = new Callers(world, seed);
    await callers.send(atOnce * 4, atOnce, { patient: true });
    await reachAll(world);
    await callers.reachServices();
    const before = await resourcesAtRest(proxy);
    const failing = new AbortController();
    const failed = failPartsUntil(failing.signal, {
      world,
      proxy,
      devices: DEVICES,
      random: seededRandom(seed + 1),
    });
    await callers.send(requests, atOnce, { patient: false });
    failing.abort();
    await failed;
    await undoRequests(world);
    await reachAll(world);
    await callers.reachServices();
    const kept = await resourcesOver(before, proxy);
    return { byEnd: callers.byEnd, operations: callers.operations, rejections, warnings, kept };
  } finally {
    await lifecycle.close();
    process.off('unhandledRejection', onRejection).off('warning', onWarning);
    for (const listener of others) process.on('unhandledRejection', listener);
  }
}

class Callers {
  readonly byEnd = new Map<string, number>();
  readonly operations = new Set<string>();
  readonly #world: World;
  readonly #ways: Record<keyof World['mesh']['grpc'], Transport>;
  readonly #random: () => number;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #maker: RequestMaker;
  readonly #screen: () => MadeUpRequest;
  /** How long each operation has taken lately, ms. */
  readonly #usualMs = new Map<string, number>();

  constructor(world: World, seed: number) {
    this.#world = world;
    this.#random = seededRandom(seed);
    const wayTo = (name: keyof World['mesh']['grpc']): Transport =>
      connectTo({ url: `http://${world.mesh.grpc[name]}`, service: `the ${name} service`, meshToken: undefined });
    this.#ways = {
      device: wayTo('device'),
      screen: wayTo('screen'),
      relay: wayTo('relay'),
      webhook: wayTo('webhook'),
    };
    this.#routes = new Map(
      routesOf(contractsOver(this.#ways)).map((route) => [`${route.method} ${route.template}`, route] as const),
    );
    this.#maker = new RequestMaker(openApi(), { seed, device: 'one', idsSeen: [], leftOut: LEFT_OUT });
    this.#screen = screenRequests(this.#random, DEVICES);
  }

  /** Makes one rpc to each service, so that its connection is there. */
  async reachServices(): Promise<void> {
    for (const way of Object.values(this.#ways)) await servingAt(way)(new AbortController().signal);
  }

  async send(requests: number, atOnce: number, { patient }: { patient: boolean }): Promise<void> {
    let left = requests;
    const sendNext = async (): Promise<void> => {
      while (left-- > 0) await this.#sendOne(patient);
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
  }

  async #sendOne(patient: boolean): Promise<void> {
    const made = this.#random() < 0.6 ? this.#screen() : this.#maker.next();
    const byRpc = this.#random() < 0.5 && made.headers['upgrade'] === undefined;
    const how = `${byRpc ? 'gRPC' : 'REST'} ${made.operation}`;
    this.operations.add(how);
    const usualMs = this.#usualMs.get(how) ?? USUAL_MS;
    const limitMs = patient ? PATIENT_MS : 1 + this.#random() * 2 * usualMs;
    // The deadline is the service's to notice, the hang-up is the client's. A stream has no end of its own.
    const hasDeadline = byRpc && this.#random() < 0.5;
    const giveUp = new AbortController();
    const timer = systemClock.after(hasDeadline ? PATIENT_MS : limitMs, () => giveUp.abort());
    const beganMs = systemClock.monotonicMs();
    try {
      const end = byRpc
        ? await this.#byRpc(made, giveUp.signal, hasDeadline ? Math.ceil(limitMs) : undefined)
        : await this.#byRest(made, giveUp.signal);
      const tookMs = systemClock.monotonicMs() - beganMs;
      // Only the quick ones are seen to their end: a longer time counts for more.
      this.#usualMs.set(how, tookMs > usualMs ? tookMs : usualMs * 0.95 + tookMs * 0.05);
      this.#count(end);
    } catch (error) {
      this.#count(giveUp.signal.aborted ? 'hung up' : nameOf(error));
    } finally {
      timer.cancel();
    }
  }

  async #byRest({ method, path, body, headers, needsSession }: MadeUpRequest, signal: AbortSignal): Promise<string> {
    const by = needsSession && this.#random() < 0.5 ? this.#world.api.as(undefined) : this.#world.api;
    const { status } = await by.ask(method, path, body, { headers, signal });
    return `${status}`;
  }

  async #byRpc(made: MadeUpRequest, signal: AbortSignal, timeoutMs: number | undefined): Promise<string> {
    const route = this.#routes.get(`${made.method} ${made.template}`);
    if (route === undefined) throw new Error(`there is no route for ${made.method} ${made.template}`);
    const { rpc, transport } = route;
    const [path = '', query = ''] = made.path.split('?');
    const request = route.readRequest({
      params: paramsOf(made.template, path),
      query,
      headers: made.headers,
      body: made.body === undefined ? undefined : parseJson(JSON.stringify(made.body)),
    });
    const headers = { authorization: `Bearer ${this.#world.key}` };
    if (rpc.methodKind === 'unary') {
      await transport.unary(rpc, signal, timeoutMs, headers, request);
      return 'ok';
    }
    async function* input(): AsyncIterable<Message> {
      yield request;
    }
    const { message } = await transport.stream(rpc, signal, timeoutMs, headers, input());
    const messages = message[Symbol.asyncIterator]();
    while ((await messages.next()).done !== true) signal.throwIfAborted();
    return 'ok';
  }

  #count(end: string): void {
    this.byEnd.set(end, (this.byEnd.get(end) ?? 0) + 1);
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'kind' in error ? String(error.kind) : error.name;
}

function paramsOf(template: string, path: string): Record<string, string> {
  const values = path.split('/');
  return Object.fromEntries(
    template.split('/').flatMap((part, at) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name === undefined ? [] : [[name, decodeURIComponent(values[at] ?? '')]];
    }),
  );
}

/** Takes a picture of each phone: the service keeps one connection to each that was used. */
async function reachAll({ api }: World): Promise<void> {
  for (const name of DEVICES) {
    await until(async () => {
      if ((await api.get(`/v1/devices/${name}/screenshot`)).status === 200) return true;
      await api.post(`/v1/devices/${name}/start`);
      return false;
    });
  }
}

/** Ends what requests were to leave: relays that are on, and devices that were made. */
async function undoRequests({ api }: World): Promise<void> {
  const { body } = await api.get('/v1/devices?limit=200');
  for (const { name } of body.devices as { name: string }[]) {
    await api.delete(`/v1/devices/${name}/adb`);
    if (DEVICES.includes(name)) continue;
    await until(async () => [202, 404].includes((await api.delete(`/v1/devices/${name}`)).status));
  }
  await until(async () => (await api.get('/v1/devices')).body.devices.length === DEVICES.length);
}

/** Returns the resources of the process once they stay the same for a moment. */
async function resourcesAtRest(proxy: DatabaseProxy): Promise<Record<string, number>> {
  let last = '';
  await until(async () => {
    const now = JSON.stringify(resources(proxy));
    const isSame = now === last;
    last = now;
    if (!isSame) await systemClock.sleep(500);
    return isSame;
  });
  return resources(proxy);
}

/** How long nobody asks anything before the resources are counted, ms: kept connections end in that time. */
const KEPT_MS = 60_000;

/** Timers of background work, which come and go. A timer that each request left would be seen as hundreds. */
const TIMERS_COME_AND_GO = 8;

/** What is kept beyond `before`. */
async function resourcesOver(before: Record<string, number>, proxy: DatabaseProxy): Promise<Record<string, number>> {
  const over = (): Record<string, number> =>
    Object.fromEntries(
      Object.entries(resources(proxy)).map(([kind, count]) => {
        const slack = kind === 'Timeout' ? TIMERS_COME_AND_GO : 0;
        return [kind, Math.max(0, count - (before[kind] ?? 0) - slack)];
      }),
    );
  const isNothing = (): boolean => Object.values(over()).every((count) => count === 0);
  const untilMs = systemClock.monotonicMs() + KEPT_MS;
  while (!isNothing() && systemClock.monotonicMs() < untilMs) await systemClock.sleep(100);
  return over();
}

/** How many sockets and timers the process has, without those of the driver's pool, both ends of which are here. */
function resources(proxy: DatabaseProxy): Record<string, number> {
  const counts: Record<string, number> = { TCPSocketWrap: -2 * proxy.connections, TCPServerWrap: 0, Timeout: 0 };
  for (const kind of process.getActiveResourcesInfo()) if (kind in counts) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
