import { createHash, randomUUID } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { type Client, createClient } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import { Registry } from 'prom-client';
import type { buildConnector } from 'undici';
import type { Clock } from '../../kit/async/clock.js';
import { systemClock } from '../../kit/async/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors/api-error.js';
import { type Log, silentLog } from '../../kit/log/log.js';
import type { RpcService } from '../../kit/rpc/rpc-service.js';
import { sendErrors } from '../../kit/rpc/error-crossing.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { AccessService, CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { MemberRole, Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Delivery, DeliveryState } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { WebhookService } from '../../proto/gen/cloudphone/webhook/v1/webhook_service_pb.js';
import type { WebhookLimits } from '../../webhook-service/limits.js';
import { createWebhookService } from '../../webhook-service/service.js';

/** A key with a webhook, as the device service would know it. */
export interface TestKey {
  keyId: string;
  url: string;
  /** Text of the key; its digest signs. */
  text: string;
  accountId?: string;
  scope?: Scope;
  /** The role of a session. Absent: none, which has all rights. */
  role?: MemberRole;
  /** The member who made it, or whose session it is. */
  memberId?: string;
  /** Devices it may see. Absent: all. */
  devices?: readonly string[];
}

export interface WebhookWorldOptions {
  database: Db;
  keys: TestKey[];
  clock?: Clock;
  log?: Log;
  limits?: Partial<WebhookLimits>;
  allowPrivateTargets?: boolean;
  lookup?: LookupFunction;
  tls?: buildConnector.BuildOptions;
}

export interface WebhookWorld {
  events: Client<typeof EventService>;
  webhooks: Client<typeof WebhookService>;
  metrics: Registry;
  /** Publishes job.finished of a device; returns the number of deliveries. */
  publish(id: string, options?: { device?: string; accountId?: string; payload?: string }): Promise<number>;
  /** Deliveries that a key sees, newest first. */
  deliveries(key: TestKey): Promise<Delivery[]>;
  /** Waits until a key has nothing pending. */
  finished(key: TestKey): Promise<Delivery[]>;
  close(): Promise<void>;
}

/** How long a test waits for deliveries to finish, ms. */
const PATIENCE_MS = 60_000;

/** A webhook service in this process, whose keys are the test's. */
export async function startWebhookWorld(options: WebhookWorldOptions): Promise<WebhookWorld> {
  const { keys, clock = systemClock } = options;
  const metrics = new Registry();
  const service = await createWebhookService({
    clock,
    log: options.log ?? silentLog,
    metrics,
    meshToken: undefined,
    database: options.database,
    device: joinInMemory(accessRpc(keys), undefined),
    allowPrivateTargets: options.allowPrivateTargets ?? true,
    workerId: randomUUID(),
    ...(options.limits !== undefined && { limits: options.limits }),
    ...(options.lookup !== undefined && { lookup: options.lookup }),
    ...(options.tls !== undefined && { tls: options.tls }),
  });
  const transport = joinInMemory(service.rpc, undefined);
  const events = createClient(EventService, transport);
  const webhooks = createClient(WebhookService, transport);
  const deliveries = async (key: TestKey): Promise<Delivery[]> =>
    (await webhooks.listDeliveries({ limit: 200 }, { headers: as(key) })).deliveries;
  return {
    events,
    webhooks,
    metrics,
    publish: async (id, { device = 'phone-1', accountId = 'acc_1', payload } = {}) => {
      const body =
        payload ??
        JSON.stringify({ event: 'job.finished', ts: '2026-01-15T09:30:00.000Z', phone: device, job: { id } });
      const event = { id, type: 'job.finished', accountId, device, payload: Buffer.from(body) };
      return (await events.publish({ event })).deliveries;
    },
    deliveries,
    finished: async (key) => {
      const untilMs = performance.now() + PATIENCE_MS;
      for (;;) {
        if (performance.now() > untilMs) throw new Error(`${key.keyId} still has something pending`);
        const all = await deliveries(key);
        if (all.every(({ state }) => state !== DeliveryState.PENDING)) return all;
        await systemClock.sleep(5);
      }
    },
    close: () => service.close(),
  };
}

/** Headers with which a key calls. */
export function as({ text }: TestKey): { authorization: string } {
  return { authorization: `Bearer ${text}` };
}

/** AccessService as the device service serves it, over the test's keys. */
export function accessRpc(keys: readonly TestKey[]): RpcService {
  return {
    name: 'the device service',
    contracts: [AccessService],
    interceptors: [sendErrors(silentLog)],
    routes: (router) =>
      router.service(AccessService, {
        authenticate: ({ authorization }) => ({ caller: callerOf(keys, authorization) }),
        listSubscribers: ({ accountId, device, keyId }) => ({
          subscribers: keys
            .filter((key) => (key.accountId ?? 'acc_1') === accountId && key.url !== '')
            .filter((key) => (keyId === undefined ? (key.devices?.includes(device) ?? true) : key.keyId === keyId))
            .map((key) => ({
              ...{ keyId: key.keyId, url: key.url, secret: digestOf(key) },
              ...(key.memberId !== undefined && { memberId: key.memberId }),
            })),
        }),
      }),
  };
}

export function digestOf({ text }: TestKey): string {
  return createHash('sha256').update(text).digest('hex');
}

function callerOf(keys: readonly TestKey[], authorization: string) {
  const key = keys.find((candidate) => as(candidate).authorization === authorization);
  if (key === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
  const { keyId, accountId = 'acc_1', scope = Scope.CONTROL, role = MemberRole.UNSPECIFIED, memberId } = key;
  return create(CallerSchema, {
    ...{ accountId, keyId: scope === Scope.PERSON ? '' : keyId, scope, role, allDevices: true },
    ...(memberId !== undefined && { memberId }),
  });
}
