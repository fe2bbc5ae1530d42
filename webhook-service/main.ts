import { randomUUID } from 'node:crypto';
import { systemClock } from '../kit/clock.js';
import { connectMongo, isReachable } from '../kit/mongo.js';
import { deviceServiceOf, openOps, serveRpc } from '../kit/process-parts.js';
import { runService } from '../kit/run-service.js';
import { readWebhookConfig } from './config.js';
import { createWebhookService } from './service.js';

await runService(readWebhookConfig, async (running) => {
  const { config, log, lifecycle, readiness } = running;
  const { metrics } = await openOps(running);
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  const { database } = lifecycle.add('database connection', connection);
  readiness.needs('database', isReachable(database));
  const device = deviceServiceOf(running);
  const { meshToken, allowPrivateTargets } = config;
  const parts = { clock: systemClock, log, metrics, database, device, workerId: randomUUID() };
  await serveRpc(running, await createWebhookService({ ...parts, meshToken, allowPrivateTargets }));
});
