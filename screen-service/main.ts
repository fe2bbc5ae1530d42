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
  const { host, port, deviceServiceUrl: url, meshToken } = config;
  const device = connectTo({ url, service: 'the device service', meshToken });
  const service = lifecycle.add(
    'screen service',
    createScreenService({
      clock: systemClock,
      log,
      metrics: new Registry(),
      meshToken,
      authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
      devices: createClient(PhoneService, device),
    }),
  );
  const guarded = meshToken !== undefined;
  const listener = lifecycle.add('screen rpc', await listenRpc(service.rpc, { host, port, guarded }));
  log.info({ host, port: listener.port }, 'screen service listens');
});
