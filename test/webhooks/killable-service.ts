import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { systemClock } from '../../kit/async/clock.js';
import { createLog } from '../../kit/log/log.js';
import { connectMongo } from '../../kit/db/mongo.js';
import { listenRpc } from '../../kit/rpc/listen.js';
import { connectTo } from '../../kit/rpc/transport.js';
import { createWebhookService } from '../../webhook-service/service.js';

// The webhook service as its main.ts starts it, with shorter times, for tests that kill it or the device service. The arguments are the
// database's URL, the device service's, and the mesh token if there is one. Prints its port.
const [mongodbUrl = '', deviceUrl = '', meshToken] = process.argv.slice(2);
const log = createLog({ level: 'error', pretty: false });
const { database } = await connectMongo({ url: mongodbUrl, database: 'killed', log });
const device = connectTo({ url: deviceUrl, service: 'the device service', meshToken });
const service = await createWebhookService({
  clock: systemClock,
  log,
  metrics: new Registry(),
  meshToken,
  database,
  device,
  allowPrivateTargets: true,
  workerId: randomUUID(),
  limits: {
    responseTimeoutMs: 5_000,
    drainResponseMs: 100,
    retryDelaysMs: [100, 200],
    leaseMs: 6_000,
    pollMs: 200,
    sweepMs: 1_000,
  },
});
const { port } = await listenRpc(service.rpc, { host: '127.0.0.1', port: 0, guarded: meshToken !== undefined });
process.stdout.write(`${port}\n`);
