import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/clock.js';
import { lockFolder } from '../kit/folder-lock.js';
import { isReachable } from '../kit/mongo.js';
import { openDatabase } from '../kit/open-database.js';
import { openOps, serveRpc } from '../kit/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { readDeviceConfig } from './config.js';
import { hostParts } from './host-parts.js';
import { rpcUrl } from './hosts/rpc-url.js';
import { openDrivers } from './phones/open-drivers.js';
import { createDeviceService } from './service.js';

await runService(readDeviceConfig, async (running) => {
  const { config, log, lifecycle, readiness, giveUp } = running;
  const { dataDirectory, tls } = config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  const { metrics } = await openOps(running);
  const { mongodbUrl: url, mongodbDatabase } = config;
  const database = await openDatabase({ ...running, url, database: mongodbDatabase, dataDirectory });
  readiness.needs('database', isReachable(database));
  const opened = { clock: systemClock, log, dataDirectory };
  const drivers = await openDrivers({ ...opened, config: config.driver, phonesOutliveDriver: true });
  for (const driver of drivers) lifecycle.add(`${driver.kind} phones`, driver);
  const webhook = connectTo({ ...config, url: config.webhookServiceUrl, service: 'the webhook service' });
  const screen = connectTo({ ...config, url: config.screenServiceUrl, service: 'the screen service' });
  const service = await createDeviceService({
    ...config,
    ...(await hostParts(config, giveUp)),
    clock: systemClock,
    log,
    metrics,
    readiness,
    database,
    drivers,
    events: createClient(EventService, webhook),
    screen: createClient(ScreenService, screen),
    helpers: createClient(HelperService, screen),
  });
  const port = await serveRpc(running, service);
  await service.announce(rpcUrl(config.host, config.driver.address, port, tls !== undefined));
  lifecycle.onClose('waits for jobs', () => service.endWaits());
});
