import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/async/clock.js';
import { lockFolder } from '../kit/files/folder-lock.js';
import { noteSetSettings } from '../kit/config/set-settings.js';
import { takesWrites } from '../kit/db/mongo.js';
import { openDatabase } from './open-database.js';
import { openOps, serveRpc, withMeshToken } from '../kit/service/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/service/run-service.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { RecorderService } from '../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { readDeviceConfig } from './config.js';
import { hostParts } from './host-parts.js';
import { rpcUrl } from './devices/hosts/rpc-url.js';
import { openDrivers } from './devices/phones/open-drivers.js';
import { createDeviceService } from './service.js';

await runService(readDeviceConfig, async (opened) => {
  const { log, lifecycle, readiness, giveUp } = opened;
  const config = withMeshToken(opened.config, log);
  const running = { ...opened, config };
  const { dataDirectory, tls } = config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  noteSetSettings(dataDirectory, config.driver.environment);
  const { metrics } = await openOps(running);
  const { mongodbUrl: url, mongodbUrlFile: urlFile, mongodbDatabase } = config;
  const database = await openDatabase({ ...running, url, urlFile, database: mongodbDatabase, dataDirectory });
  readiness.needs('database', takesWrites(database, systemClock));
  const kept = { clock: systemClock, log, dataDirectory };
  const drivers = await openDrivers({ ...kept, config: config.driver, phonesOutliveDriver: true });
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
    recorder: createClient(RecorderService, screen),
  });
  const port = await serveRpc(running, service);
  await service.announce(rpcUrl(config.host, config.driver.address, port, tls !== undefined));
  lifecycle.onClose('waits for jobs', () => service.endWaits());
});
