import { randomUUID } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { connectMongo } from '../kit/mongo.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { readWebhookConfig } from './config.js';
import { CALLER_TTL_MS } from './limits.js';
import { createWebhookService } from './service.js';

await runService(readWebhookConfig, async ({ config, log, lifecycle }) => {
  const { host, port, meshToken, allowPrivateTargets } = config;
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  lifecycle.add('database connection', connection);
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken });
  const service = await createWebhookService({
    clock: systemClock,
    log,
    metrics: new Registry(),
    authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
    meshToken,
    database: connection.database,
    access: createClient(AccessService, device),
    allowPrivateTargets,
    workerId: randomUUID(),
  });
  lifecycle.add('webhook service', service);
  const listener = lifecycle.add('rpc', await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined }));
  log.info({ host, port: listener.port }, 'webhook service listens');
});
