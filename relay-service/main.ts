import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { connectMongo } from '../kit/mongo.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { readRelayConfig } from './config.js';
import { CALLER_TTL_MS } from './limits.js';
import { createRelayService } from './service.js';

await runService(readRelayConfig, async ({ config, log, lifecycle }) => {
  const { host, port, meshToken } = config;
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  lifecycle.add('database connection', connection);
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken });
  const service = await createRelayService({
    ...config,
    clock: systemClock,
    log,
    metrics: new Registry(),
    database: connection.database,
    authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
    devices: createClient(PhoneService, device),
    access: createClient(AccessService, device),
  });
  lifecycle.add('relay service', service);
  const listener = lifecycle.add('rpc', await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined }));
  log.info({ host, port: listener.port, relay_host: config.advertisedHost }, 'relay service listens');
});
