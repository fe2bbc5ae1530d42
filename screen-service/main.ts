import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors.js';
import { createLog } from '../kit/log.js';
import { CallerCache } from '../kit/rpc/caller-cache.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { screenConfig } from './config.js';
import { createScreenService } from './service.js';

/** How long a service may go on trusting what it was told of a key, ms: the bound on how long a revoked one works. */
const CALLER_TTL_MS = 1_000;

const config = screenConfig(process.env);
const log = createLog({ level: config.logLevel, pretty: process.stderr.isTTY });

await runService(log, async (lifecycle) => {
  const { deviceServiceUrl: url, meshToken } = config;
  const toDevices = connectTo({ url, service: 'the device service', meshToken });
  const access = createClient(AccessService, toDevices);
  const callers = new CallerCache({
    clock: systemClock,
    ttlMs: CALLER_TTL_MS,
    ask: async (authorization) => {
      const { caller } = await access.authenticate({ authorization });
      if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      return caller;
    },
  });
  const service = lifecycle.add(
    'screen service',
    createScreenService({
      clock: systemClock,
      log,
      metrics: new Registry(),
      authenticate: callers.authenticate,
      meshToken,
      devices: createClient(PhoneService, toDevices),
    }),
  );
  const { host, port } = config;
  const listener = lifecycle.add('rpc', await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined }));
  process.stdout.write(`Screen service: gRPC on ${host}:${listener.port}\n`);
});
