import { begunAhead } from './kit/async/begun-ahead.js';
import { hostParts } from './device-service/host-parts.js';
import { openDrivers } from './device-service/devices/phones/open-drivers.js';
import type { DeviceServiceInstance } from './device-service/service.js';
import { systemClock } from './kit/async/clock.js';
import { exposureWarning, isExposed, isLoopback } from './kit/net/exposure.js';
import { lockFolder } from './kit/files/folder-lock.js';
import { noteSetSettings } from './kit/config/set-settings.js';
import { letHeapDouble } from './kit/process/heap-growth.js';
import { withKeptToken } from './kit/service/mesh-token.js';
import { takesWrites } from './kit/db/mongo.js';
import { openDatabase } from './device-service/open-database.js';
import { openRedirect } from './kit/service/listen-redirect.js';
import { openCertificate, type OwnTrust } from './kit/https/server-certificate.js';
import { openOps } from './kit/service/process-parts.js';
import { runService } from './kit/service/run-service.js';
import { readStartConfig, wantedPorts } from './start/config.js';
import { checksOf } from './status-service/checks/checks.js';
import { createStatusService } from './status-service/service.js';
import { help } from './start/help.js';
import { localUrl } from './start/local-url.js';
import { readScrcpyFile } from './screen-service/live/video/scrcpy-file.js';
import { startMesh } from './start/mesh.js';
import { assertPortsFree } from './start/taken-ports.js';
import { seeAgain, welcome } from './start/welcome.js';
import { forgetPassword, makeFirstAccount, writeQuickstart } from './start/quickstart.js';

if (process.argv.length > 2) {
  const asked = ['--help', '-h'].includes(process.argv[2] ?? '');
  (asked ? process.stdout : process.stderr).write(help());
  process.exit(asked ? 0 : 1);
}

letHeapDouble();

// Starts all services in one process, for `npm start`. They need the data folder, the database and the phones, which are opened first.
await runService(readStartConfig, async (running) => {
  const { log, lifecycle, readiness, giveUp } = running;
  const { dataDirectory } = running.config;
  lifecycle.add('data folder', lockFolder(dataDirectory));
  noteSetSettings(dataDirectory, running.config.driver.environment);
  // Only a service on loopback gets a token that is made here. Listening beyond loopback fails without MESH_TOKEN or GRPC_TLS_CA.
  const config = isLoopback(running.config.host) ? withKeptToken(running.config, { make: true }) : running.config;
  await assertPortsFree(wantedPorts(config));
  const { metrics, url: opsUrl } = await openOps(running);
  const opened = { clock: systemClock, log, dataDirectory };
  // The drivers and the database are opened at the same time, as each takes a while.
  const opening = begunAhead(openDrivers({ ...opened, config: config.driver, phonesOutliveDriver: false }));
  // A failure to open the drivers is reported where `opening` is awaited. Here it means that there is nothing to close.
  const phonesSettled = opening.catch(() => []);
  lifecycle.onClose('phones', async () => {
    await Promise.all((await phonesSettled).map((driver) => driver.close()));
  });
  const { mongodbUrl, mongodbUrlFile: urlFile, mongodbDatabase } = config;
  const database = await openDatabase({
    ...opened,
    url: mongodbUrl,
    urlFile,
    database: mongodbDatabase,
    lifecycle,
    giveUp,
  });
  readiness.needs('database', takesWrites(database, systemClock));
  const drivers = await opening;
  const host = { ...(await hostParts(config, giveUp)), hostAddress: config.driver.address };
  const parts = { database, drivers, ...host, metrics, readiness, clock: systemClock, log, lifecycle };
  const beforeListening = (device: DeviceServiceInstance): Promise<void> => makeFirstAccount(dataDirectory, device);
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const scheme = certificate === undefined ? 'http' : 'https';
  const trust = certificate && ((): OwnTrust => certificate.trust());
  const status = lifecycle.add('status', createStatusService({ ...config, metrics, clock: systemClock, log }));
  const page = lifecycle.add('status page', await status.listen(config.host, config.statusPort, certificate));
  const statusUrl = localUrl(config.host, page.port, scheme);
  const onPassword = (email: string): void => forgetPassword(dataDirectory, email);
  const scrcpyFile = readScrcpyFile(config.scrcpyServer);
  const mesh = await startMesh({
    ...{ ...config, ...parts, ...(trust && { statusTrust: trust }) },
    ...{ certificate, scrcpyFile, ffmpeg: config.ffmpeg, statusUrl, beforeListening, onPassword },
  });
  const port = Number(mesh.url.slice(mesh.url.lastIndexOf(':') + 1));
  await openRedirect(running, port);
  // The status checks are added last, so that they end first. Otherwise they would report the closed services as failures.
  const apiUrl = config.statusApiUrl ?? config.publicUrl;
  const api =
    apiUrl === undefined ? { apiUrl: new URL(localUrl(config.host, port, scheme)), apiTrust: trust } : { apiUrl };
  lifecycle.add('status checks', status.watch(checksOf({ ...api, relay: mesh.relay, screen: undefined })));
  const [model] = drivers.flatMap((driver) => driver.capabilities().models);
  // With its own certificate, the service is shown under its public name. Otherwise the local URL is shown, as a proxy in front may not run
  // yet.
  const url = certificate === undefined ? mesh.url : (config.publicUrl?.origin ?? mesh.url);
  const places = { ...mesh, url, opsUrl, statusUrl, video: scrcpyFile !== undefined, model: model?.model };
  const { quickstart, isFirst } = await writeQuickstart(dataDirectory, places);
  if (isExposed(config)) {
    log.warn(`${exposureWarning(config.host)} Sign-up is ${config.signUpOpen ? 'open' : 'closed'} (SIGNUP).`);
  }
  // Secrets are shown once, and only in a terminal, because other outputs are kept in logs.
  const showSecrets = isFirst && process.stdout.isTTY;
  process.stdout.write(
    `\nCloud phones are ready. To see this again: ${seeAgain(dataDirectory)}\n${welcome(quickstart, dataDirectory, showSecrets)}`,
  );
});
