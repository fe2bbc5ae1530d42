import { systemClock } from '../kit/async/clock.js';
import { connectMongo, isReachable } from '../kit/db/mongo.js';
import { deviceServiceOf, openOps, serveRpc, withMeshToken } from '../kit/service/process-parts.js';
import { runService } from '../kit/service/run-service.js';
import { readRelayConfig } from './config.js';
import { transportsTo } from '../kit/rpc/transport.js';
import { createRelayService } from './service.js';

await runService(readRelayConfig, async (opened) => {
  const config = withMeshToken(opened.config, opened.log);
  const running = { ...opened, config };
  const { log, lifecycle, readiness } = running;
  const { metrics } = await openOps(running);
  const { mongodbUrl: url, mongodbUrlFile: urlFile, mongodbDatabase } = config;
  const connection = await connectMongo({ url, urlFile, database: mongodbDatabase, log });
  const { database } = lifecycle.add('database connection', connection);
  readiness.needs('database', isReachable(database));
  const device = deviceServiceOf(running);
  const reach = transportsTo({ service: 'the relay service', meshToken: config.meshToken, tls: config.tls });
  const parts = { clock: systemClock, log, metrics, database, device, rpcUrl: () => config.advertisedRpcUrl, reach };
  await serveRpc(running, await createRelayService({ ...config, ...parts }));
});
