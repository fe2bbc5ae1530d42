import type { LookupFunction } from 'node:net';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Db } from 'mongodb';
import type { Registry } from 'prom-client';
import { Agent, type buildConnector } from 'undici';
import type { Clock } from '../kit/async/clock.js';
import { guardedConnect } from '../kit/net/guarded-connect.js';
import { repeat } from '../kit/errors/repeat.js';
import { migrate } from '../kit/db/migrations.js';
import type { Log } from '../kit/log/log.js';
import { CALLER_TTL_MS } from '../kit/rpc/caller-cache.js';
import { callerOf, callOf } from '../kit/rpc/context.js';
import { auditorOver } from '../kit/rpc/remote-auditor.js';
import { callChecks } from '../kit/rpc/interceptors.js';
import { callersOver } from '../kit/rpc/remote-authenticate.js';
import { implement, implementing } from '../kit/rpc/rpc-service.js';
import type { Service } from '../kit/service/service.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { WebhookService } from '../proto/gen/cloudphone/webhook/v1/webhook_service_pb.js';
import { getDelivery } from './deliveries/get-delivery.js';
import { listDeliveries } from './deliveries/list-deliveries.js';
import { redeliverDelivery } from './deliveries/redeliver-delivery.js';
import { testWebhook } from './deliveries/test-webhook.js';
import { AccountTails } from './events/account-tails.js';
import { EventLog } from './events/event-log.js';
import { publish } from './events/publish.js';
import { watchEvents } from './events/watch-events.js';
import { EVENTS_POLL_MS, EVENTS_SWEEP_MS, type WebhookLimits, webhookLimits } from './limits.js';
import { webhookMetrics } from './metrics.js';
import { DeliveryWorker } from './queue/delivery-worker.js';
import { publicLookup } from './sending/public-lookup.js';
import { DeliveryStore } from './store/deliveries.js';
import { EventStore } from './store/events.js';

export interface WebhookServiceOptions {
  clock: Clock;
  log: Log;
  metrics: Registry;
  /** Absent: internal rpcs are open, and the service must listen on loopback only. */
  meshToken: string | undefined;
  /** Deliveries are kept here; several instances share it. */
  database: Db;
  /** The way to the device service, which authenticates callers and returns the keys that receive an event. */
  device: Transport;
  /** Lets webhook URLs lead to loopback, private and reserved addresses. */
  allowPrivateTargets: boolean;
  /** Unique to this process. */
  workerId: string;
  /** Absent: webhookLimits. */
  limits?: Partial<WebhookLimits>;
  /** How names become addresses. Absent: name servers, or the system's look-up where private targets are allowed. */
  lookup?: LookupFunction;
  /** Trust beyond the system's, for tests of TLS. */
  tls?: buildConnector.BuildOptions;
}

/**
 * Opens the queue and begins to work on it. Its `close` waits a bounded time for attempts under way. It leaves the other deliveries to the
 * next start or to other instances.
 */
export async function createWebhookService(options: WebhookServiceOptions): Promise<Service> {
  const { clock, log, device, workerId, allowPrivateTargets } = options;
  const limits = { ...webhookLimits, ...options.limits };
  if (limits.leaseMs <= limits.responseTimeoutMs + limits.drainResponseMs) {
    throw new Error('leaseMs must be longer than an attempt can take');
  }
  const deliveries = new DeliveryStore(options.database);
  const events = new EventStore(options.database);
  const migrations = [
    { name: 'indexes of deliveries', run: () => deliveries.createIndexes() },
    {
      name: 'indexes of pending deliveries',
      run: async () => {
        await deliveries.addUrlDigests();
        await deliveries.createIndexes();
      },
    },
    { name: 'indexes of events', run: () => events.createIndexes() },
  ];
  await migrate({ database: options.database, service: 'webhook-service', migrations, clock, log });
  const lookup = options.lookup ?? (allowPrivateTargets ? undefined : publicLookup());
  const dispatcher = new Agent({
    connect: guardedConnect({
      allowPrivateTargets,
      connectTimeoutMs: limits.responseTimeoutMs,
      ...(lookup !== undefined && { lookup }),
      ...(options.tls !== undefined && { tls: options.tls }),
    }),
    keepAliveTimeout: limits.keepAliveMs,
    keepAliveMaxTimeout: limits.keepAliveMs,
  });
  const metrics = webhookMetrics({ ...options, deliveries, running: () => deliveryWorker.running });
  const send = { dispatcher, clock, limits };
  const deliveryWorker = new DeliveryWorker({ deliveries, send, clock, log, metrics, limits, workerId });
  deliveryWorker.start();
  const tails = new AccountTails(events);
  const logFailure = (error: unknown): void => log.warn({ err: error }, 'could not read new events; trying again');
  const eventLog = new EventLog(events, clock, (accountId) => void tails.refresh(accountId).catch(logFailure));
  const loops = [
    repeat({ clock, log, everyMs: EVENTS_POLL_MS, step: 'find new events' }, () => tails.poll()),
    repeat({ clock, log, everyMs: EVENTS_SWEEP_MS, step: 'remove expired events' }, () => eventLog.sweep()),
  ];
  const parts = { deliveries, deliveryWorker, eventLog, access: createClient(AccessService, device), clock };
  const { authenticate } = callersOver(device, { clock, ttlMs: CALLER_TTL_MS });
  return {
    rpc: {
      name: 'the webhook service',
      ...callChecks({ ...options, authenticate, auditor: auditorOver(device, clock) }),
      ...implementing(
        implement(EventService, {
          publish: async ({ event }, context) => {
            if (event === undefined) throw new Error('validation lets no request without an event through');
            return { deliveries: await publish(parts, event, callOf(context).trace) };
          },
          record: async (request) => {
            await Promise.all(request.events.map((event) => eventLog.add(event)));
            return {};
          },
          watchEvents: async function* (request, context) {
            const watch = { events, tails, authenticate, clock };
            for await (const event of watchEvents(watch, callOf(context), callerOf(context), request)) yield { event };
          },
        }),
        implement(WebhookService, {
          listDeliveries: async (request, context) => {
            const { items, ...page } = await listDeliveries(deliveries, callerOf(context), request);
            return { deliveries: items, ...page };
          },
          getDelivery: ({ id }, context) => getDelivery(deliveries, callerOf(context), id),
          redeliverDelivery: async ({ id }, context) => ({
            delivery: await redeliverDelivery(parts, callerOf(context), id),
          }),
          testWebhook: async ({ keyId }, context) => {
            const { trace } = callOf(context);
            return { delivery: await testWebhook(parts, callerOf(context), { keyId, trace }) };
          },
        }),
      ),
    },
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()));
      await deliveryWorker.close();
      await eventLog.close();
      await dispatcher.destroy();
    },
  };
}
