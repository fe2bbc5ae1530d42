import { systemClock } from '../kit/clock.js';
import { isReachable, connectMongo } from '../kit/mongo.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { servingAt } from '../kit/rpc/health.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readRelayConfig } from './config.js';
import { createRelayService } from './service.js';

await runService(readRelayConfig, async ({ config, log, lifecycle, readiness }) => {
  const { host, port, meshToken, tls } = config;
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  lifecycle.add('database connection', connection);
  readiness.needs('database', isReachable(connection.database));
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken, tls });
  readiness.needs('device_service', servingAt(device));
  const service = await createRelayService({
    ...config,
    clock: systemClock,
    log,
    metrics,
    database: connection.database,
    device,
  });
  lifecycle.add('relay service', service);
  const listener = lifecycle.add(
    'rpc',
    await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined, tls, readiness }),
  );
  log.info({ host, port: listener.port, relay_host: config.advertisedHost }, 'relay service listens');
});
