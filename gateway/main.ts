import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { systemClock } from '../kit/clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors.js';
import { createLog } from '../kit/log.js';
import { CallerCache } from '../kit/rpc/caller-cache.js';
import { connectTo } from '../kit/rpc/transport.js';
import { runService } from '../kit/run-service.js';
import { AccessService } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { readGatewayConfig } from './config.js';
import { contractsOver } from './contracts.js';
import { CALLER_TTL_MS } from './limits.js';
import { createGateway } from './service.js';

const config = readConfigOrExit();
const log = createLog({ level: config.logLevel, pretty: config.logPretty });

await runService(log, async (lifecycle) => {
  const { meshToken } = config;
  const device = connectTo({ url: config.deviceServiceUrl, service: 'the device service', meshToken });
  const screen = connectTo({ url: config.screenServiceUrl, service: 'the screen service', meshToken });
  const access = createClient(AccessService, device);
  const callers = new CallerCache({
    clock: systemClock,
    ttlMs: CALLER_TTL_MS,
    ask: async (authorization) => {
      const { caller } = await access.authenticate({ authorization });
      if (caller === undefined) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      return caller;
    },
  });
  const gateway = createGateway({
    clock: systemClock,
    log,
    metrics: new Registry(),
    contracts: contractsOver({ device, screen }),
    authenticate: callers.authenticate,
  });
  const listener = lifecycle.add('gateway', await gateway.listen(config.host, config.port));
  log.info({ host: config.host, port: listener.port, routes: gateway.routes.length }, 'gateway listens');
});

function readConfigOrExit(): ReturnType<typeof readGatewayConfig> {
  try {
    return readGatewayConfig(process.env, process.stderr.isTTY);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
