import { randomUUID } from 'node:crypto';
import { systemClock } from '../kit/async/clock.js';
import { connectMongo, takesWrites } from '../kit/db/mongo.js';
import { deviceServiceOf, openOps, serveRpc, withMeshToken } from '../kit/service/process-parts.js';
import { runService } from '../kit/service/run-service.js';
import { readWebhookConfig } from './config.js';
import { createWebhookService } from './service.js';

await runService(readWebhookConfig, async (opened) => {
  const config = withMeshToken(opened.config, opened.log);
  const running = { ...opened, config };
  const { log, lifecycle, readiness } = running;
  const { metrics } = await openOps(running);
  const { mongodbUrl: url, mongodbUrlFile: urlFile, mongodbDatabase } = config;
  const connection = await connectMongo({ url, urlFile, database: mongodbDatabase, log });
  const { database } = lifecycle.add('database connection', connection);
  readiness.needs('database', takesWrites(database, systemClock));
  const device = deviceServiceOf(running);
  const { meshToken, allowPrivateTargets } = config;
  const parts = { clock: systemClock, log, metrics, database, device, workerId: randomUUID() };
  await serveRpc(running, await createWebhookService({ ...parts, meshToken, allowPrivateTargets }));
});
