import { systemClock } from '../kit/async/clock.js';
import { openCertificate } from '../kit/https/server-certificate.js';
import { withKeptToken } from '../kit/service/mesh-token.js';
import { openOps } from '../kit/service/process-parts.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/service/run-service.js';
import { checksOf } from './checks/checks.js';
import { readStatusConfig } from './config.js';
import { STARTED_TOGETHER_MS } from './limits.js';
import { createStatusService } from './service.js';

await runService(readStatusConfig, async (running) => {
  const { log, lifecycle } = running;
  // No token is made here: this service may have a folder of its own, where no other service would find the token.
  const config = withKeptToken(running.config, { make: false });
  const { metrics } = await openOps(running);
  const { apiUrl, relayServiceUrl, screenServiceUrl } = config;
  const way = (url: string | undefined, service: string) =>
    url === undefined ? undefined : connectTo({ ...config, url, service });
  const relay = way(relayServiceUrl, 'the relay service');
  const screen = way(screenServiceUrl, 'the screen service');
  const certificate = openCertificate(config.https, { clock: systemClock, log, lifecycle });
  const status = lifecycle.add('status', createStatusService({ ...config, metrics, clock: systemClock, log }));
  lifecycle.add('status page', await status.listen(config.host, config.port, certificate));
  lifecycle.add('status checks', status.watch(checksOf({ apiUrl, relay, screen }), STARTED_TOGETHER_MS));
});
