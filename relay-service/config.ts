import { hostname } from 'node:os';
import { logSettings, type OpsConfig, opsSettings, serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { type PortRange, Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log.js';

export interface RelayConfig extends MeshConfig, RelaySettings, OpsConfig {
  /** Address of the gRPC port. */
  host: string;
  /** The gRPC port; 0 picks a free one. */
  port: number;
  /** Base URL of the device service. */
  deviceServiceUrl: string;
  mongodbUrl: string;
  mongodbDatabase: string;
  /** The same after a restart; no two running instances on one database may have the same. */
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

/** Relay ports unless configured: so many devices can be enabled at a time. */
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
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    ...meshSettings(settings),
    instanceId: settings.text('RELAY_ID', `${hostname()}:${port}`),
    ...relaySettings(settings, { host: '127.0.0.1', ports: USUAL_PORTS }),
    ...opsSettings(settings, port === 0 ? 0 : 7013),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** RELAY_HOST, RELAY_LISTEN and RELAY_PORTS, also for the start of all services in one process. */
export function relaySettings(
  settings: Settings,
  fallback: { host: string; ports: PortRange | undefined },
): RelaySettings {
  const advertisedHost = settings.text('RELAY_HOST', fallback.host);
  // A host for customers elsewhere must be reachable from there; the name need not be an address of this machine.
  const isLocal = /^(127\.|::1$|localhost$)/.test(advertisedHost);
  return {
    advertisedHost,
    listenHost: settings.text('RELAY_LISTEN', isLocal ? '127.0.0.1' : '0.0.0.0'),
    ports: settings.portRange('RELAY_PORTS', fallback.ports),
  };
}
