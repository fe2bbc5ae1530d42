import { createClient } from '@connectrpc/connect';
import { systemClock } from '../kit/clock.js';
import { folderIdOf, hostIdOf } from '../kit/host-id.js';
import { openDatabase } from '../kit/open-database.js';
import { lockFolder } from '../kit/folder-lock.js';
import { isReachable } from '../kit/mongo.js';
import { listenOps } from '../kit/ops/listen.js';
import { processMetrics } from '../kit/ops/process-metrics.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { readDeviceConfig } from './config.js';
import { exitsFolder } from './network/forwarders.js';
import { rpcUrl } from './hosts/rpc-url.js';
import { openDrivers } from './phones/open-drivers.js';
import { createDeviceService } from './service.js';
import { openStripe } from './topups/stripe.js';

await runService(readDeviceConfig, async ({ config, log, lifecycle, readiness, giveUp }) => {
  const { dataDirectory, meshToken, tls } = config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  const metrics = processMetrics(readiness);
  lifecycle.add('ops port', await listenOps({ ...config.ops, metrics, readiness, clock: systemClock, log }));
  const database = await openDatabase({
    url: config.mongodbUrl,
    database: config.mongodbDatabase,
    dataDirectory,
    log,
    lifecycle,
    giveUp,
  });
  readiness.needs('database', isReachable(database));
  const drivers = await openDrivers({
    config: config.driver,
    dataDirectory,
    phonesOutliveDriver: true,
    clock: systemClock,
    log,
  });
  for (const driver of drivers) lifecycle.add(`${driver.kind} phones`, driver);
  const service = await createDeviceService({
    clock: systemClock,
    log,
    metrics,
    database,
    drivers,
    apps: config.apps,
    hostId: hostIdOf(dataDirectory, config.hostId),
    folderId: folderIdOf(dataDirectory),
    exitsDirectory: exitsFolder(dataDirectory),
    exitsFile: config.exitsFile,
    addressUrl: config.addressUrl,
    lostHost: giveUp,
    meshToken,
    tls,
    events: createClient(
      EventService,
      connectTo({ url: config.webhookServiceUrl, service: 'the webhook service', meshToken, tls }),
    ),
    screen: createClient(
      ScreenService,
      connectTo({ url: config.screenServiceUrl, service: 'the screen service', meshToken, tls }),
    ),
    signUpOpen: config.signUpOpen,
    allowPrivateTargets: config.allowPrivateTargets,
    secretBox: config.secretBox,
    payments: config.stripe && (await openStripe(config.stripe, systemClock)),
  });
  lifecycle.add('device service', service);
  const { host, port } = config;
  const listener = lifecycle.add(
    'rpc',
    await listenRpc(service.rpc, { host, port, guarded: meshToken !== undefined, tls, readiness }),
  );
  await service.announce(rpcUrl(host, config.driver.address, listener.port, tls !== undefined));
  lifecycle.onClose('waits for jobs', () => service.endWaits());
  log.info({ host, port: listener.port }, 'device service listens');
});
