import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { readScreenConfig } from './config.js';
import { CALLER_TTL_MS } from './limits.js';
import { createScreenService } from './service.js';

await runService(readScreenConfig, async ({ config, log, lifecycle }) => {
  const { deviceServiceUrl: url, meshToken, host, port } = config;
  const device = connectTo({ url, service: 'the device service', meshToken });
  const service = createScreenService({
    clock: systemClock,
    log,
    metrics: new Registry(),
    authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
    meshToken,
    devices: createClient(PhoneService, device),
  });
  lifecycle.add('screen service', service);
  const listener = lifecycle.add('rpc', await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined }));
  log.info({ host, port: listener.port }, 'screen service listens');
});
