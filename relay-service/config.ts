import { hostname } from 'node:os';
import {
  logSettings,
  type OpsConfig,
  opsSettings,
  optionalServiceUrl,
  serviceUrl,
} from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { type PortRange, Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log/log.js';

export interface RelayConfig extends MeshConfig, RelaySettings, OpsConfig {
  /** Address of the gRPC port. */
  host: string;
  /** The gRPC port; 0 picks a free one. */
  port: number;
  /** Base URL of the device service. */
  deviceServiceUrl: string;
  mongodbUrl: string;
  /** The file that the URL was read from, whose login is followed. Absent: it is none. */
  mongodbUrlFile?: string | undefined;
  mongodbDatabase: string;
  /** Where other relay services of the database reach this one's rpcs. Undefined: they do not. */
  advertisedRpcUrl: string | undefined;
  /** The instance's name. It stays the same after a restart, and is unique among the running instances of one database. */
  instanceId: string;
  log: LogOptions;
}

export interface RelaySettings {
  /** The host that customers connect to. */
  advertisedHost: string;
  /** Address that the relay ports listen on. */
  listenHost: string;
  /** Undefined: any free ports, which suits only a machine without a firewall. */
  ports: PortRange | undefined;
}

/** Default ports of relays. Each enabled device needs one, so their number limits how many can be enabled at a time. */
const USUAL_PORTS = { first: 6500, last: 6599 };

/** Reads the relay service's settings; throws one error that lists every mistake. */
export function readRelayConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): RelayConfig {
  const settings = new Settings(environment);
  const port = settings.port('RELAY_GRPC_PORT', 7003);
  const mongodbUrl = settings.secret('MONGODB_URL') ?? '';
  settings.require(
    mongodbUrl !== '',
    'MONGODB_URL is missing: a relay on its own keeps its state in the database that the device service uses',
  );
  const config: RelayConfig = {
    host: settings.address('RELAY_GRPC_HOST', '127.0.0.1'),
    port,
    deviceServiceUrl: serviceUrl(settings, 'DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    mongodbUrl,
    mongodbUrlFile: settings.secretFile('MONGODB_URL'),
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    ...meshSettings(settings),
    advertisedRpcUrl: optionalServiceUrl(settings, 'RELAY_GRPC_URL', 'http://relay-1:7003'),
    instanceId: settings.text('RELAY_ID', `${hostname()}:${port}`),
    ...relaySettings(settings, { host: '127.0.0.1', ports: USUAL_PORTS }),
    ...opsSettings(settings, port === 0 ? 0 : 7013),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** Reads RELAY_HOST, RELAY_LISTEN and RELAY_PORTS. The program that runs all services in one process uses it too. */
export function relaySettings(
  settings: Settings,
  fallback: { host: string; ports: PortRange | undefined },
): RelaySettings {
  const advertisedHost = settings.text('RELAY_HOST', fallback.host);
  // A host that is not local must be reachable from outside. Its name need not be an address of this machine, so all addresses are used.
  const isLocal = /^(127\.|::1$|localhost$)/.test(advertisedHost);
  return {
    advertisedHost,
    listenHost: settings.text('RELAY_LISTEN', isLocal ? '127.0.0.1' : '0.0.0.0'),
    ports: settings.portRange('RELAY_PORTS', fallback.ports),
  };
}
