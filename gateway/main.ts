import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { readGatewayConfig } from './config.js';
import { contractsOver } from './contracts.js';
import { CALLER_TTL_MS } from './limits.js';
import { createGateway } from './service.js';

await runService(readGatewayConfig, async ({ config, log, lifecycle }) => {
  const { meshToken } = config;
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken });
  const screen = connectTo({ url: config.screenServiceUrl, service: 'the screen service', meshToken });
  const webhook = connectTo({ url: config.webhookServiceUrl, service: 'the webhook service', meshToken });
  const relay = connectTo({ url: config.relayServiceUrl, service: 'the relay service', meshToken });
  const gateway = createGateway({
    clock: systemClock,
    log,
    metrics: new Registry(),
    contracts: contractsOver({ device, screen, relay, webhook }),
    authenticate: authenticateOver(device, { clock: systemClock, ttlMs: CALLER_TTL_MS }),
  });
  const listener = lifecycle.add('gateway', await gateway.listen(config.host, config.port));
  log.info({ host: config.host, port: listener.port, routes: gateway.routes.length }, 'gateway listens');
});
