import { systemClock } from '../kit/clock.js';
import { connectMongo, isReachable } from '../kit/mongo.js';
import { deviceServiceOf, openOps, serveRpc } from '../kit/process-parts.js';
import { runService } from '../kit/run-service.js';
import { readRelayConfig } from './config.js';
import { createRelayService } from './service.js';

await runService(readRelayConfig, async (running) => {
  const { config, log, lifecycle, readiness } = running;
  const { metrics } = await openOps(running);
  const connection = await connectMongo({ url: config.mongodbUrl, database: config.mongodbDatabase, log });
  const { database } = lifecycle.add('database connection', connection);
  readiness.needs('database', isReachable(database));
  const device = deviceServiceOf(running);
  const parts = { clock: systemClock, log, metrics, database, device };
  await serveRpc(running, await createRelayService({ ...config, ...parts }));
});
