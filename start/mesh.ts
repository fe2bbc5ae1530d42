import { randomUUID } from 'node:crypto';
import { createClient, type Transport } from '@connectrpc/connect';
import { rpcUrl } from '../device-service/hosts/rpc-url.js';
import type { DeviceServiceOptions } from '../device-service/options.js';
import { createDeviceService, type DeviceServiceInstance } from '../device-service/service.js';
import { gatewayOver } from '../gateway/gateway-over.js';
import type { Route } from '../gateway/routes/route.js';
import type { Gateway, GatewayOptions } from '../gateway/service.js';
import type { ServerCertificate } from '../kit/https/server-certificate.js';
import type { Lifecycle } from '../kit/lifecycle.js';
import type { Readiness } from '../kit/ops/readiness.js';
import { lateTransport } from '../kit/rpc/late-transport.js';
import { listenRpc } from '../kit/rpc/listen.js';
import type { RpcService } from '../kit/rpc/rpc-service.js';
import { joinInMemory } from '../kit/rpc/transport.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { RelaySettings } from '../relay-service/config.js';
import { createRelayService } from '../relay-service/service.js';
import { createScreenService } from '../screen-service/service.js';
import { createWebhookService } from '../webhook-service/service.js';
import { localUrl } from './local-url.js';

export interface MeshOptions
  extends
    Omit<DeviceServiceOptions, 'events' | 'screen' | 'helpers' | 'checkPhone' | 'seeBack'>,
    Pick<GatewayOptions, 'publicUrl' | 'behindProxy' | 'statusUrl' | 'statusTrust' | 'limits' | 'hosts'> {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Absent: the edge serves plain http. */
  certificate?: ServerCertificate | undefined;
  grpcPorts: { device: number; screen: number; relay: number; webhook: number };
  relay: RelaySettings;
  /** scrcpy's server. Absent: phones have no video. */
  scrcpyFile?: Uint8Array | undefined;
  /** PHONE_HOST: where other hosts reach this one, when it listens on every address. Absent: other hosts do not reach it. */
  hostAddress?: string;
  /** Set when other gateways share the database: then rate limits are counted in it. */
  mongodbUrl?: string | undefined;
  /** Lets webhook URLs lead to loopback, private and reserved addresses. */
  allowPrivateTargets: boolean;
  /** Awaited before any port opens. */
  beforeListening?: (device: DeviceServiceInstance) => Promise<void>;
  /** The health that the gRPC ports report. Absent: they serve until they close. */
  readiness?: Readiness;
  lifecycle: Lifecycle;
}

export interface Mesh {
  /** Where the REST API is for this machine, without /v1. */
  url: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** Where customers' adb connects to. */
  relayHost: string;
  device: DeviceServiceInstance;
  /** The way to the relay service. */
  relay: Transport;
  /** Every REST route. */
  routes: readonly Route[];
  /** As that of the gateway. */
  prepareReference: Gateway['prepareReference'];
}

/** All services in this process, joined in memory, with the edge and the gRPC ports open. */
export async function startMesh(options: MeshOptions): Promise<Mesh> {
  const { host, clock, log, lifecycle, meshToken, metrics, database, hostId } = options;
  // Device and webhook service call each other, and so do device and screen service.
  const toWebhook = lateTransport();
  const laterScreen = lateTransport();
  const callees = {
    events: createClient(EventService, toWebhook.transport),
    screen: createClient(ScreenService, laterScreen.transport),
    helpers: createClient(HelperService, laterScreen.transport),
  };
  const device = lifecycle.add('device service', await createDeviceService({ ...options, ...callees }));
  const toDevice = joinInMemory(device.rpc, meshToken);
  const parts = { clock, log, meshToken, metrics, database, device: toDevice };
  const { allowPrivateTargets } = options;
  const webhook = lifecycle.add(
    'webhook service',
    await createWebhookService({ ...parts, allowPrivateTargets, workerId: randomUUID() }),
  );
  toWebhook.arrive(joinInMemory(webhook.rpc, meshToken));
  const screen = lifecycle.add('screen service', createScreenService({ ...parts, scrcpyFile: options.scrcpyFile }));
  const toScreen = joinInMemory(screen.rpc, meshToken);
  laterScreen.arrive(toScreen);
  // One relay service in the process that owns the phones of this host.
  const relayOptions = { ...parts, ...options.relay, instanceId: hostId };
  const relay = lifecycle.add('relay service', await createRelayService(relayOptions));
  const toRelay = joinInMemory(relay.rpc, meshToken);
  const { publicUrl, behindProxy, statusUrl, statusTrust, limits, hosts, mongodbUrl } = options;
  const gateway = gatewayOver({
    ...{ clock, log, metrics, publicUrl, statusUrl },
    ...(behindProxy !== undefined && { behindProxy }),
    ...(statusTrust !== undefined && { statusTrust }),
    ...(limits !== undefined && { limits }),
    ...(hosts !== undefined && { hosts }),
    ways: { device: toDevice, screen: toScreen, relay: toRelay, webhook: toWebhook.transport },
    sharedDatabase: mongodbUrl === undefined ? undefined : database,
  });
  await options.beforeListening?.(device);
  const { grpcPorts, readiness } = options;
  const listen = async (name: keyof typeof grpcPorts, { rpc }: { rpc: RpcService }): Promise<string> => {
    const listener = await listenRpc(rpc, {
      host,
      port: grpcPorts[name],
      guarded: meshToken !== undefined,
      tls: options.tls,
      log,
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
  const { port } = lifecycle.add('gateway', await gateway.listen(host, options.port, options.certificate));
  // First of all that is closed: a wait of a minute would take all the time that there is for the rest.
  lifecycle.onClose('waits for jobs', () => device.endWaits());
  return {
    url: localUrl(host, port, options.certificate === undefined ? 'http' : 'https'),
    grpc,
    relayHost: options.relay.advertisedHost,
    device,
    relay: toRelay,
    routes: gateway.routes,
    prepareReference: () => gateway.prepareReference(),
  };
}
