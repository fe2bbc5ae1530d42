import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/clock.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { servingAt } from '../kit/rpc/health.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { readScreenConfig } from './config.js';
import { CALLER_TTL_MS } from './limits.js';
import { createScreenService } from './service.js';

await runService(readScreenConfig, async ({ config, log, lifecycle, readiness }) => {
  const { deviceServiceUrl: url, meshToken, host, port } = config;
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const device = connectTo({ url, service: 'the device service', meshToken });
  readiness.needs('device_service', servingAt(device));
  const service = createScreenService({
    clock: systemClock,
    log,
    metrics,
    authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
    meshToken,
    devices: createClient(PhoneService, device),
  });
  lifecycle.add('screen service', service);
  const listener = lifecycle.add(
    'rpc',
    await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined, readiness }),
  );
  log.info({ host, port: listener.port }, 'screen service listens');
});
