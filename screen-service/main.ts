import { systemClock } from '../kit/clock.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { servingAt } from '../kit/rpc/health.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readScreenConfig } from './config.js';
import { createScreenService } from './service.js';

await runService(readScreenConfig, async ({ config, log, lifecycle, readiness }) => {
  const { deviceServiceUrl: url, meshToken, tls, host, port } = config;
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const device = connectTo({ url, service: 'the device service', meshToken, tls });
  readiness.needs('device_service', servingAt(device));
  const service = createScreenService({
    clock: systemClock,
    log,
    metrics,
    meshToken,
    device,
  });
  lifecycle.add('screen service', service);
  const listener = lifecycle.add(
    'rpc',
    await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined, tls, readiness }),
  );
  log.info({ host, port: listener.port }, 'screen service listens');
});
