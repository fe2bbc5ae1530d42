import { randomUUID } from 'node:crypto';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Registry } from 'prom-client';
import { rpcUrl } from '../device-service/hosts/rpc-url.js';
import type { NetworkConfig } from '../device-service/network/network.js';
import type { AppDirectories } from '../device-service/options.js';
import { createDeviceService, type DeviceServiceInstance } from '../device-service/service.js';
import type { Payments } from '../device-service/topups/payments.js';
import { gatewayOver } from '../gateway/gateway-over.js';
import type { EdgeLimits } from '../gateway/limits.js';
import type { Route } from '../gateway/routes/route.js';
import type { Clock } from '../kit/clock.js';
import type { Lifecycle } from '../kit/lifecycle.js';
import type { Log } from '../kit/log.js';
import type { Readiness } from '../kit/ops/readiness.js';
import { lateTransport } from '../kit/rpc/late-transport.js';
import { listenRpc } from '../kit/rpc/listen.js';
import type { RpcService } from '../kit/rpc/rpc-service.js';
import type { RpcTls } from '../kit/rpc/tls.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import type { SecretBox } from '../kit/secret-box.js';
import type { PhoneDriver } from '../phone/driver.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { RelaySettings } from '../relay-service/config.js';
import { createRelayService } from '../relay-service/service.js';
import { createScreenService } from '../screen-service/service.js';
import { createWebhookService } from '../webhook-service/service.js';
import type { Db } from 'mongodb';

export interface MeshOptions extends NetworkConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  grpcPorts: { device: number; screen: number; relay: number; webhook: number };
  relay: RelaySettings;
  database: Db;
  drivers: readonly PhoneDriver[];
  /** Absent: no apps are offered, for tests. */
  apps?: AppDirectories;
  hostId: string;
  /** Identity of the data folder. Absent: the host's id, for tests. */
  folderId?: string;
  /** PHONE_HOST: where other hosts reach this one, when it listens on every address. Absent: other hosts do not reach it. */
  hostAddress?: string;
  /** Called when another process has got the host's lease. */
  lostHost?: (reason: Error) => void;
  meshToken: string | undefined;
  /** Certificates of the gRPC ports. Absent: cleartext. */
  tls?: RpcTls | undefined;
  /** Set when other gateways share the database: then rate limits are counted in it. */
  mongodbUrl?: string | undefined;
  signUpOpen?: boolean;
  /** Lets webhook URLs lead to loopback, private and reserved addresses. */
  allowPrivateTargets: boolean;
  /** Where the sockets of phones' forwarders are. Absent: in a folder of this process's own, for tests. */
  exitsDirectory?: string;
  /** Seals secrets in the database. */
  secretBox?: SecretBox | undefined;
  /** The payment provider of top-ups. */
  payments?: Payments | undefined;
  publicUrl?: URL | undefined;
  behindProxy?: boolean;
  /** Where the status service's pages are, which the edge shows too. Absent: it does not. */
  statusUrl?: string;
  /** Bounds of the edge other than usual. */
  limits?: Partial<EdgeLimits>;
  /** Awaited before any port opens. */
  beforeListening?: (device: DeviceServiceInstance) => Promise<void>;
  /** Every service adds its own. */
  metrics: Registry;
  /** The health that the gRPC ports report. Absent: they serve until they close. */
  readiness?: Readiness;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
}

export interface Mesh {
  /** Where the REST API is, without /v1. */
  url: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** Where customers' adb connects to. */
  relayHost: string;
  device: DeviceServiceInstance;
  /** The way to the relay service. */
  relay: Transport;
  /** Every REST route. */
  routes: readonly Route[];
}

/** All services in this process, joined in memory, with the edge and the gRPC ports open. */
export async function startMesh(options: MeshOptions): Promise<Mesh> {
  const { host, clock, log, lifecycle, meshToken, metrics } = options;
  const guarded = meshToken !== undefined;

  // Device and webhook service call each other, and so do device and screen service.
  const toWebhook = lateTransport();
  const events = createClient(EventService, toWebhook.transport);
  const laterScreen = lateTransport();
  const screenClient = createClient(ScreenService, laterScreen.transport);
  const device = lifecycle.add(
    'device service',
    await createDeviceService({ ...options, events, screen: screenClient }),
  );
  const toDevice = joinInMemory(device.rpc, meshToken);

  const webhook = lifecycle.add(
    'webhook service',
    await createWebhookService({
      clock,
      log,
      meshToken,
      database: options.database,
      allowPrivateTargets: options.allowPrivateTargets,
      metrics,
      device: toDevice,
      workerId: randomUUID(),
    }),
  );
  toWebhook.arrive(joinInMemory(webhook.rpc, meshToken));

  const screen = lifecycle.add(
    'screen service',
    createScreenService({
      clock,
      log,
      meshToken,
      metrics,
      device: toDevice,
    }),
  );
  const toScreen = joinInMemory(screen.rpc, meshToken);
  laterScreen.arrive(toScreen);

  const relay = lifecycle.add(
    'relay service',
    await createRelayService({
      ...options.relay,
      clock,
      log,
      meshToken,
      metrics,
      database: options.database,
      // One relay in the process that owns the phones of this host.
      instanceId: options.hostId,
      device: toDevice,
    }),
  );
  const toRelay = joinInMemory(relay.rpc, meshToken);

  const { publicUrl, behindProxy = false, statusUrl, limits = {} } = options;
  const gateway = gatewayOver({
    clock,
    log,
    metrics,
    ways: { device: toDevice, screen: toScreen, relay: toRelay, webhook: toWebhook.transport },
    publicUrl,
    behindProxy,
    statusUrl,
    limits,
    sharedDatabase: options.mongodbUrl === undefined ? undefined : options.database,
  });

  await options.beforeListening?.(device);
  const { grpcPorts, readiness } = options;
  const listen = async (name: keyof typeof grpcPorts, { rpc }: { rpc: RpcService }): Promise<string> => {
    const listener = await listenRpc(rpc, {
      host,
      port: grpcPorts[name],
      guarded,
      tls: options.tls,
      ...(readiness !== undefined && { readiness }),
    });
    return `${host}:${lifecycle.add(`${name} rpc`, listener).port}`;
  };
  const grpc = {
    device: await listen('device', device),
    screen: await listen('screen', screen),
    relay: await listen('relay', relay),
    webhook: await listen('webhook', webhook),
  };
  if (options.hostAddress !== undefined) {
    await device.announce(
      rpcUrl(host, options.hostAddress, grpc.device.slice(grpc.device.lastIndexOf(':') + 1), options.tls !== undefined),
    );
  }
  const { port } = lifecycle.add('gateway', await gateway.listen(host, options.port));
  // First of all that is closed: a wait of a minute would take all the time that there is for the rest.
  lifecycle.onClose('waits for jobs', () => device.endWaits());
  return {
    url: `http://${host}:${port}`,
    grpc,
    relayHost: options.relay.advertisedHost,
    device,
    relay: toRelay,
    routes: gateway.routes,
  };
}
