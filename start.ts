import { hostParts } from './device-service/host-parts.js';
import { openDrivers } from './device-service/phones/open-drivers.js';
import type { DeviceServiceInstance } from './device-service/service.js';
import { systemClock } from './kit/clock.js';
import { exposureWarning, isExposed } from './kit/exposure.js';
import { lockFolder } from './kit/folder-lock.js';
import { letHeapDouble } from './kit/heap-growth.js';
import { isReachable } from './kit/mongo.js';
import { openDatabase } from './kit/open-database.js';
import { openRedirect } from './kit/https/listen-redirect.js';
import { openCertificate, type OwnTrust } from './kit/https/server-certificate.js';
import { openOps } from './kit/process-parts.js';
import { runService } from './kit/run-service.js';
import { readStartConfig, wantedPorts } from './start/config.js';
import { checksOf } from './status-service/checks/checks.js';
import { openStatusService } from './status-service/service.js';
import { help } from './start/help.js';
import { localUrl } from './start/local-url.js';
import { readScrcpyFile } from './screen-service/live/video/scrcpy-file.js';
import { startMesh } from './start/mesh.js';
import { assertPortsFree } from './start/taken-ports.js';
import { welcome } from './start/welcome.js';
import { forgetPassword, makeFirstAccount, writeQuickstart } from './start/quickstart.js';

if (process.argv.length > 2) {
  const asked = ['--help', '-h'].includes(process.argv[2] ?? '');
  (asked ? process.stdout : process.stderr).write(help());
  process.exit(asked ? 0 : 1);
}

letHeapDouble();

// All services in one process, for `npm start`: the data folder, the database, the phones, the services, in this order.
await runService(readStartConfig, async (running) => {
  const { config, log, lifecycle, readiness, giveUp } = running;
  const { dataDirectory } = config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  await assertPortsFree(wantedPorts(config));
  const { metrics, url: opsUrl } = await openOps(running);
  const opened = { clock: systemClock, log, dataDirectory };
  // Both at once, as each takes a while.
  const opening = openDrivers({ ...opened, config: config.driver, phonesOutliveDriver: false });
  // A failure is reported by the start below; here it means that there is nothing to close.
  const phonesSettled = opening.catch(() => []);
  lifecycle.onClose('phones', async () => {
    await Promise.all((await phonesSettled).map((driver) => driver.close()));
  });
  const { mongodbUrl, mongodbDatabase } = config;
  const database = await openDatabase({ ...opened, url: mongodbUrl, database: mongodbDatabase, lifecycle, giveUp });
  readiness.needs('database', isReachable(database));
  const drivers = await opening;
  const host = { ...(await hostParts(config, giveUp)), hostAddress: config.driver.address };
  const parts = { database, drivers, ...host, metrics, readiness, clock: systemClock, log, lifecycle };
  const beforeListening = (device: DeviceServiceInstance): Promise<void> => makeFirstAccount(dataDirectory, device);
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const scheme = certificate === undefined ? 'http' : 'https';
  const trust = certificate && ((): OwnTrust => certificate.trust());
  const status = await openStatusService({
    ...config,
    ...{ certificate, metrics, clock: systemClock, log },
    port: config.statusPort,
  });
  lifecycle.add('status page', status);
  const statusUrl = localUrl(config.host, status.port, scheme);
  const onPassword = (email: string): void => forgetPassword(dataDirectory, email);
  const scrcpyFile = readScrcpyFile(config.scrcpyServer);
  const mesh = await startMesh({
    ...{ ...config, ...parts, ...(trust && { statusTrust: trust }) },
    ...{ certificate, scrcpyFile, statusUrl, beforeListening, onPassword },
  });
  const port = Number(mesh.url.slice(mesh.url.lastIndexOf(':') + 1));
  await openRedirect(running, port);
  // Closed before the rest, which would else be seen to fail.
  const apiUrl = config.statusApiUrl ?? config.publicUrl;
  const api =
    apiUrl === undefined ? { apiUrl: new URL(localUrl(config.host, port, scheme)), apiTrust: trust } : { apiUrl };
  lifecycle.add('status checks', status.watch(checksOf({ ...api, relay: mesh.relay, screen: undefined })));
  const [model] = drivers.flatMap((driver) => driver.capabilities().models);
  // With https of its own, the name in its certificate; a proxy in front need not be there yet.
  const url = certificate === undefined ? mesh.url : (config.publicUrl?.origin ?? mesh.url);
  const places = { ...mesh, url, opsUrl, statusUrl, model: model?.model };
  const { quickstart, isFirst } = await writeQuickstart(dataDirectory, places);
  if (isExposed(config)) {
    log.warn(`${exposureWarning(config.host)} Sign-up is ${config.signUpOpen ? 'open' : 'closed'} (SIGNUP).`);
  }
  // Once, and to a person: other outputs are kept in logs.
  const showSecrets = isFirst && process.stdout.isTTY;
  process.stdout.write(
    `\nCloud phones are ready. To see this again: npm run --silent admin -- info\n${welcome(quickstart, dataDirectory, showSecrets)}`,
  );
  void mesh.prepareReference();
});
