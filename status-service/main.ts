import { systemClock } from '../kit/clock.js';
import { openCertificate } from '../kit/https/server-certificate.js';
import { openOps } from '../kit/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { checksOf } from './checks/checks.js';
import { readStatusConfig } from './config.js';
import { STARTED_TOGETHER_MS } from './limits.js';
import { openStatusService } from './service.js';

await runService(readStatusConfig, async (running) => {
  const { config, log, lifecycle } = running;
  const { metrics } = await openOps(running);
  const { apiUrl, relayServiceUrl, screenServiceUrl } = config;
  const way = (url: string | undefined, service: string) =>
    url === undefined ? undefined : connectTo({ ...config, url, service });
  const relay = way(relayServiceUrl, 'the relay service');
  const screen = way(screenServiceUrl, 'the screen service');
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const status = await openStatusService({ ...config, certificate, metrics, clock: systemClock, log });
  lifecycle.add('status page', status);
  lifecycle.add('status checks', status.watch(checksOf({ apiUrl, relay, screen }), STARTED_TOGETHER_MS));
});
