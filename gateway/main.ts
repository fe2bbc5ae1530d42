import { systemClock } from '../kit/async/clock.js';
import { exposureWarning, isExposed } from '../kit/net/exposure.js';
import { openRedirect } from '../kit/service/listen-redirect.js';
import { openCertificate } from '../kit/https/server-certificate.js';
import { openMongo } from '../kit/db/mongo.js';
import { deviceServiceOf, openOps, withMeshToken } from '../kit/service/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/service/run-service.js';
import { readGatewayConfig } from './config.js';
import { gatewayOver } from './gateway-over.js';

await runService(readGatewayConfig, async (opened) => {
  const { log, lifecycle } = opened;
  const config = withMeshToken(opened.config, log, opened.config.deviceServiceUrl);
  const running = { ...opened, config };
  const { metrics } = await openOps(running);
  const ways = {
    device: deviceServiceOf(running),
    screen: connectTo({ ...config, url: config.screenServiceUrl, service: 'the screen service' }),
    webhook: connectTo({ ...config, url: config.webhookServiceUrl, service: 'the webhook service' }),
    relay: connectTo({ ...config, url: config.relayServiceUrl, service: 'the relay service' }),
  };
  const { mongodbUrlFile: urlFile } = config;
  const {
    mongodbUrl,
    mongodbDatabase,
    publicUrl,
    behindProxy,
    hosts,
    limits,
    mcp,
    statusServiceUrl: statusUrl,
  } = config;
  // The database is not needed to start or to be ready. While it is unavailable, this process counts its limits itself.
  const shared =
    mongodbUrl === undefined
      ? undefined
      : lifecycle.add('database connection', openMongo({ url: mongodbUrl, urlFile, database: mongodbDatabase, log }));
  const front = { hosts, limits, publicUrl, behindProxy, statusUrl, mcp };
  const parts = { clock: systemClock, log, metrics, ...front, sharedDatabase: shared?.database };
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const gateway = gatewayOver({ ...parts, ways });
  if (isExposed(config)) log.warn(exposureWarning(config.host));
  const listener = lifecycle.add('gateway', await gateway.listen(config.host, config.port, certificate));
  await openRedirect(running, listener.port);
  log.info({ host: config.host, port: listener.port, routes: gateway.routes.length }, 'gateway listens');
});
