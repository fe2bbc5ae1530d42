import { systemClock } from '../kit/clock.js';
import { openMongo } from '../kit/mongo.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { servingAt } from '../kit/rpc/health.js';
import { callersOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readGatewayConfig } from './config.js';
import { contractsOver } from './contracts.js';
import { CALLER_TTL_MS } from './limits.js';
import { windowsShared } from './rates/shared-windows.js';
import { createGateway } from './service.js';

await runService(readGatewayConfig, async ({ config, log, lifecycle, readiness }) => {
  const { meshToken, tls } = config;
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken, tls });
  readiness.needs('device_service', servingAt(device));
  const screen = connectTo({ url: config.screenServiceUrl, service: 'the screen service', meshToken, tls });
  const webhook = connectTo({ url: config.webhookServiceUrl, service: 'the webhook service', meshToken, tls });
  const relay = connectTo({ url: config.relayServiceUrl, service: 'the relay service', meshToken, tls });
  const callers = callersOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS });
  const { mongodbUrl, mongodbDatabase, publicUrl, behindProxy } = config;
  // Not needed to start or to be ready: while it is away, limits are counted here.
  const shared =
    mongodbUrl === undefined
      ? undefined
      : lifecycle.add('database connection', openMongo({ url: mongodbUrl, database: mongodbDatabase }));
  const gateway = createGateway({
    clock: systemClock,
    publicUrl,
    behindProxy,
    log,
    metrics,
    contracts: contractsOver({ device, screen, relay, webhook }),
    authenticate: callers.authenticate,
    knowsCaller: (authorization) => callers.knows(authorization),
    forgetCallers: () => callers.clear(),
    ...(shared !== undefined && { openWindows: windowsShared(shared.database, systemClock, log) }),
  });
  const listener = lifecycle.add('gateway', await gateway.listen(config.host, config.port));
  log.info({ host: config.host, port: listener.port, routes: gateway.routes.length }, 'gateway listens');
});
