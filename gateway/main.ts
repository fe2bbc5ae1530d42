import { systemClock } from '../kit/clock.js';
import { exposureWarning, isExposed } from '../kit/exposure.js';
import { openRedirect } from '../kit/https/listen-redirect.js';
import { openCertificate } from '../kit/https/server-certificate.js';
import { openMongo } from '../kit/mongo.js';
import { deviceServiceOf, openOps } from '../kit/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readGatewayConfig } from './config.js';
import { gatewayOver } from './gateway-over.js';

await runService(readGatewayConfig, async (running) => {
  const { config, log, lifecycle } = running;
  const { metrics } = await openOps(running);
  const ways = {
    device: deviceServiceOf(running),
    screen: connectTo({ ...config, url: config.screenServiceUrl, service: 'the screen service' }),
    webhook: connectTo({ ...config, url: config.webhookServiceUrl, service: 'the webhook service' }),
    relay: connectTo({ ...config, url: config.relayServiceUrl, service: 'the relay service' }),
  };
  const { mongodbUrl, mongodbDatabase, publicUrl, behindProxy, hosts, limits, statusServiceUrl: statusUrl } = config;
  // Not needed to start or to be ready: while it is away, limits are counted here.
  const shared =
    mongodbUrl === undefined
      ? undefined
      : lifecycle.add('database connection', openMongo({ url: mongodbUrl, database: mongodbDatabase }));
  const front = { hosts, limits, publicUrl, behindProxy, statusUrl };
  const parts = { clock: systemClock, log, metrics, ...front, sharedDatabase: shared?.database };
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const gateway = gatewayOver({ ...parts, ways });
  if (isExposed(config)) log.warn(exposureWarning(config.host));
  const listener = lifecycle.add('gateway', await gateway.listen(config.host, config.port, certificate));
  await openRedirect(running, listener.port);
  log.info({ host: config.host, port: listener.port, routes: gateway.routes.length }, 'gateway listens');
  void gateway.prepareReference();
});
