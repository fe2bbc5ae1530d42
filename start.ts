import { openDriver } from './device-service/phones/open-driver.js';
import { openStripe } from './device-service/topups/stripe.js';
import { systemClock } from './kit/clock.js';
import { lockFolder } from './kit/folder-lock.js';
import { hostIdOf } from './kit/host-id.js';
import { openDatabase } from './kit/open-database.js';
import { runService } from './kit/run-service.js';
import { readStartConfig } from './start/config.js';
import { startMesh } from './start/mesh.js';
import { welcome } from './start/welcome.js';
import { makeFirstAccount, writeQuickstart } from './start/quickstart.js';

// All services in one process, for `npm start`: the data folder, the database, the phones, the services, in this order.
await runService(readStartConfig, async ({ config, log, lifecycle, giveUp }) => {
  const { dataDirectory } = config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  const hostId = hostIdOf(dataDirectory, config.hostId);
  const opened = { clock: systemClock, log, dataDirectory };
  // Both at once, as each takes a while; the phones' process is closed also when the database does not come.
  const opening = openDriver({ ...opened, config: config.driver, phonesOutliveDriver: false });
  lifecycle.onClose('phones', async () => (await opening).close());
  const database = await openDatabase({
    ...opened,
    url: config.mongodbUrl,
    database: config.mongodbDatabase,
    lifecycle,
    giveUp,
  });
  const driver = await opening;
  const payments = config.stripe && (await openStripe(config.stripe, systemClock));
  const mesh = await startMesh({
    ...{ ...config, payments, database, driver, hostId, clock: systemClock, log, lifecycle },
    beforeListening: (device) => makeFirstAccount(dataDirectory, device),
  });
  process.stdout.write(welcome(mesh, dataDirectory, writeQuickstart(dataDirectory, mesh)));
});
