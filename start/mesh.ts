import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { createDeviceService, type DeviceServiceInstance } from '../device-service/service.js';
import { contractsOver } from '../gateway/contracts.js';
import { createGateway } from '../gateway/service.js';
import { CALLER_TTL_MS } from '../gateway/limits.js';
import type { Clock } from '../kit/clock.js';
import type { Lifecycle } from '../kit/lifecycle.js';
import type { Log } from '../kit/log.js';
import { listenRpc } from '../kit/rpc/listen.js';
import { authenticateOver } from '../kit/rpc/remote-authenticate.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import type { PhoneDriver } from '../phone/driver.js';
import { PhoneService } from '../proto/gen/cloudphone/device/v1/phone_service_pb.js';
import { CALLER_TTL_MS as SCREEN_CALLER_TTL_MS } from '../screen-service/limits.js';
import { createScreenService } from '../screen-service/service.js';
import type { Db } from 'mongodb';

export interface MeshOptions {
  host: string;
  /** 0 picks a free one. */
  port: number;
  grpcPorts: { device: number; screen: number };
  database: Db;
  driver: PhoneDriver;
  hostId: string;
  meshToken: string | undefined;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
}

export interface Mesh {
  /** Where the REST API is, without /v1. */
  url: string;
  grpc: { device: string; screen: string };
  device: DeviceServiceInstance;
  metrics: Registry;
}

/** All services in this process, joined in memory, with the edge and the gRPC ports open. */
export async function startMesh(options: MeshOptions): Promise<Mesh> {
  const { host, clock, log, lifecycle, meshToken } = options;
  const guarded = meshToken !== undefined;

  const device = lifecycle.add('device service', await createDeviceService({ ...options, metrics: new Registry() }));
  const toDevice = joinInMemory(device.rpc, meshToken);

  const screen = lifecycle.add(
    'screen service',
    createScreenService({
      clock,
      log,
      meshToken,
      metrics: new Registry(),
      authenticate: authenticateOver(toDevice, { clock, ttlMs: SCREEN_CALLER_TTL_MS }),
      devices: createClient(PhoneService, toDevice),
    }),
  );
  const toScreen = joinInMemory(screen.rpc, meshToken);

  const metrics = new Registry();
  const gateway = createGateway({
    clock,
    log,
    metrics,
    contracts: contractsOver({ device: toDevice, screen: toScreen }),
    authenticate: authenticateOver(toDevice, { clock, ttlMs: CALLER_TTL_MS }),
  });

  const { grpcPorts } = options;
  const devicePort = lifecycle.add(
    'device rpc',
    await listenRpc(device.rpc, { host, port: grpcPorts.device, guarded }),
  ).port;
  const screenPort = lifecycle.add(
    'screen rpc',
    await listenRpc(screen.rpc, { host, port: grpcPorts.screen, guarded }),
  ).port;
  const { port } = lifecycle.add('gateway', await gateway.listen(host, options.port));
  // First of all that is closed: a wait of a minute would take all the time that there is for the rest.
  lifecycle.onClose('waits for jobs', () => device.endWaits());
  return {
    url: `http://${host}:${port}`,
    grpc: { device: `${host}:${devicePort}`, screen: `${host}:${screenPort}` },
    device,
    metrics,
  };
}
