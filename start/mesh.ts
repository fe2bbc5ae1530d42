import { randomUUID } from 'node:crypto';
import { createClient, type Transport } from '@connectrpc/connect';
import { rpcUrl } from '../device-service/devices/hosts/rpc-url.js';
import type { DeviceServiceOptions } from '../device-service/options.js';
import { createDeviceService, type DeviceServiceInstance } from '../device-service/service.js';
import { gatewayOver } from '../gateway/gateway-over.js';
import type { Route } from '../gateway/routes/route.js';
import type { GatewayOptions } from '../gateway/service.js';
import type { ServerCertificate } from '../kit/https/server-certificate.js';
import type { Lifecycle } from '../kit/process/lifecycle.js';
import type { Readiness } from '../kit/ops/readiness.js';
import { listenRpc } from '../kit/rpc/listen.js';
import type { Service } from '../kit/service/service.js';
import { joinInMemory, transportsTo } from '../kit/rpc/transport.js';
import { HelperService } from '../proto/gen/cloudphone/screen/v1/helper_service_pb.js';
import { RecorderService } from '../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ScreenService } from '../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import { EventService } from '../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import type { RelaySettings } from '../relay-service/config.js';
import { createRelayService } from '../relay-service/service.js';
import { createScreenService } from '../screen-service/service.js';
import { createWebhookService } from '../webhook-service/service.js';
import { localUrl } from './local-url.js';

export interface MeshOptions
  extends
    Omit<DeviceServiceOptions, 'events' | 'screen' | 'helpers' | 'recorder' | 'checkPhone' | 'seeBack'>,
    Pick<GatewayOptions, 'publicUrl' | 'behindProxy' | 'statusUrl' | 'statusTrust' | 'limits' | 'hosts' | 'mcp'> {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Absent: the edge serves plain http. */
  certificate?: ServerCertificate | undefined;
  grpcPorts: { device: number; screen: number; relay: number; webhook: number };
  relay: RelaySettings;
  /** scrcpy's server. Absent: phones have no video. */
  scrcpyFile?: Uint8Array | undefined;
  /** Name or path of ffmpeg, for recordings of phones without video. Absent: `ffmpeg`. */
  ffmpeg?: string | undefined;
  /** Whether the logs of phones are watched for crashes of apps. Absent: yes. */
  watchCrashes?: boolean;
  /** PHONE_HOST: the address at which other hosts reach this host when `host` is every address. Absent: other hosts do not reach it. */
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
    recorder: createClient(RecorderService, laterScreen.transport),
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
  const screen = lifecycle.add(
    'screen service',
    createScreenService({
      ...{ ...parts, scrcpyFile: options.scrcpyFile, ffmpeg: options.ffmpeg },
      watchCrashes: options.watchCrashes ?? true,
    }),
  );
  const toScreen = joinInMemory(screen.rpc, meshToken);
  laterScreen.arrive(toScreen);
  // This process owns the phones of its host, so its relay service has the host's id.
  let relayUrl: string | undefined;
  const relayOptions = {
    ...{ ...parts, ...options.relay, instanceId: hostId },
    rpcUrl: () => relayUrl,
    reach: transportsTo({ service: 'the relay service', meshToken, tls: options.tls }),
  };
  const relay = lifecycle.add('relay service', await createRelayService(relayOptions));
  const toRelay = joinInMemory(relay.rpc, meshToken);
  const { publicUrl, behindProxy, statusUrl, statusTrust, limits, hosts, mcp, mongodbUrl } = options;
  const gateway = gatewayOver({
    ...{ clock, log, metrics, publicUrl, statusUrl },
    ...(behindProxy !== undefined && { behindProxy }),
    ...(statusTrust !== undefined && { statusTrust }),
    ...(limits !== undefined && { limits }),
    ...(hosts !== undefined && { hosts }),
    ...(mcp !== undefined && { mcp }),
    ways: { device: toDevice, screen: toScreen, relay: toRelay, webhook: toWebhook.transport },
    sharedDatabase: mongodbUrl === undefined ? undefined : database,
  });
  await options.beforeListening?.(device);
  const { grpcPorts, readiness } = options;
  const listen = async (name: keyof typeof grpcPorts, { rpc }: Service): Promise<string> => {
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
  const { hostAddress } = options;
  if (hostAddress !== undefined) {
    const urlOf = (address: string): string =>
      rpcUrl(host, hostAddress, address.slice(address.lastIndexOf(':') + 1), options.tls !== undefined);
    relayUrl = urlOf(grpc.relay);
    await device.announce(urlOf(grpc.device));
  }
  const { port } = lifecycle.add('gateway', await gateway.listen(host, options.port, options.certificate));
  // What is added last is closed first. A wait of a minute would otherwise use up the time for closing the rest.
  lifecycle.onClose('waits for jobs', () => device.endWaits());
  return {
    url: localUrl(host, port, options.certificate === undefined ? 'http' : 'https'),
    grpc,
    relayHost: options.relay.advertisedHost,
    device,
    relay: toRelay,
    routes: gateway.routes,
  };
}

/**
 * The way to a service that is not there yet. Two services of one process call each other, and one of them must be built first. Calls wait
 * until the way is known.
 */
function lateTransport(): { transport: Transport; arrive: (transport: Transport) => void } {
  let arrive: (transport: Transport) => void = () => undefined;
  const arrival = new Promise<Transport>((resolve) => (arrive = resolve));
  return {
    transport: {
      unary: async (...call) => (await arrival).unary(...call),
      stream: async (...call) => (await arrival).stream(...call),
    },
    arrive,
  };
}
