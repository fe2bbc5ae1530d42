import { randomUUID } from 'node:crypto';
import { systemClock } from '../kit/clock.js';
import { isReachable, connectMongo } from '../kit/mongo.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { servingAt } from '../kit/rpc/health.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readWebhookConfig } from './config.js';
import { createWebhookService } from './service.js';

await runService(readWebhookConfig, async ({ config, log, lifecycle, readiness }) => {
  const { host, port, meshToken, tls, allowPrivateTargets } = config;
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  lifecycle.add('database connection', connection);
  readiness.needs('database', isReachable(connection.database));
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken, tls });
  readiness.needs('device_service', servingAt(device));
  const service = await createWebhookService({
    clock: systemClock,
    log,
    metrics,
    meshToken,
    database: connection.database,
    device,
    allowPrivateTargets,
    workerId: randomUUID(),
  });
  lifecycle.add('webhook service', service);
  const listener = lifecycle.add(
    'rpc',
    await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined, tls, readiness }),
  );
  log.info({ host, port: listener.port }, 'webhook service listens');
});
