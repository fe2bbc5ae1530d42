import {
  accessSettings,
  appSettings,
  dataSettings,
  type DeviceConfig,
  driverSettings,
  helperSettings,
  networkSettings,
  priceSettings,
  secretBoxSetting,
  stripeSettings,
  timelineSettings,
} from '../device-service/config.js';
import {
  type FrontConfig,
  frontSettings,
  logSettings,
  type OpsConfig,
  opsSettings,
} from '../kit/config/process-settings.js';
import {
  type HttpsConfig,
  httpsSettings,
  type RedirectConfig,
  redirectSettings,
} from '../kit/config/https-settings.js';
import { meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import { type RateSettings, rateSettings } from '../gateway/config.js';
import { relaySettings, type RelaySettings } from '../relay-service/config.js';
import { scrcpyServerSetting } from '../screen-service/config.js';
import { statusApiUrl } from '../status-service/config.js';
import type { WantedPort } from './taken-ports.js';

/** Everything in one process, on this machine. */
export interface StartConfig
  extends
    Pick<
      DeviceConfig,
      'dataDirectory' | 'mongodbUrl' | 'mongodbDatabase' | 'hostId' | 'driver' | 'log' | 'meshToken' | 'tls'
    >,
    Pick<
      DeviceConfig,
      | 'residentHelpers'
      | 'signUpOpen'
      | 'quotas'
      | 'prices'
      | 'timeline'
      | 'secretBox'
      | 'stripe'
      | 'apps'
      | 'exitsFile'
      | 'addressUrl'
    >,
    FrontConfig,
    HttpsConfig,
    RedirectConfig,
    OpsConfig {
  /** Address that everything listens on. */
  host: string;
  /** The REST edge; 0 picks a free one. */
  port: number;
  grpcPorts: { device: number; screen: number; relay: number; webhook: number };
  /** Lets webhook URLs lead into the operator's own network. */
  allowPrivateTargets: boolean;
  relay: RelaySettings;
  /** Requests a minute. */
  limits: RateSettings;
  /** Path of scrcpy's server. Undefined: the one that was fetched, if any. */
  scrcpyServer: string | undefined;
  /** The status page; 0 picks a free one. */
  statusPort: number;
  /** Where the status page's checks reach the REST API. Absent: where customers do. */
  statusApiUrl: URL | undefined;
}

/** Reads the settings of `npm start`; throws one error that lists every fault. */
export function readStartConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): StartConfig {
  const settings = new Settings(environment);
  const port = settings.port('PORT', 8080);
  // With PORT=0 a second installation runs beside the first: then nothing else has a fixed port either.
  const otherPort = (name: string, fallback: number): number => settings.port(name, port === 0 ? 0 : fallback);
  const host = settings.address('HOST', '127.0.0.1');
  const front = frontSettings(settings, [host]);
  const https = httpsSettings(settings);
  const config: StartConfig = {
    host,
    port,
    grpcPorts: {
      device: otherPort('DEVICE_GRPC_PORT', 7001),
      screen: otherPort('SCREEN_GRPC_PORT', 7002),
      relay: otherPort('RELAY_GRPC_PORT', 7003),
      webhook: otherPort('WEBHOOK_GRPC_PORT', 7004),
    },
    relay: relaySettings(settings, { host, ports: undefined }),
    scrcpyServer: scrcpyServerSetting(settings),
    statusPort: otherPort('STATUS_PORT', 8081),
    statusApiUrl: statusApiUrl(settings),
    ...dataSettings(settings),
    ...accessSettings(settings, { host, ...front, ...https }),
    prices: priceSettings(settings),
    timeline: timelineSettings(settings),
    limits: rateSettings(settings),
    secretBox: secretBoxSetting(settings),
    stripe: stripeSettings(settings),
    ...front,
    ...https,
    ...redirectSettings(settings, https),
    ...meshSettings(settings),
    driver: driverSettings(settings, environment),
    ...helperSettings(settings),
    apps: appSettings(settings),
    ...networkSettings(settings),
    ...opsSettings(settings, port === 0 ? 0 : 7010),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** The ports that a start opens, with the words of the parts that open them. */
export function wantedPorts({ host, port, ops, redirectPort, grpcPorts, statusPort }: StartConfig): WantedPort[] {
  const grpc = Object.entries(grpcPorts).map(([service, grpcPort]) => ({
    ...{ host, port: grpcPort },
    wanted: `by the ${service} service (${service.toUpperCase()}_GRPC_PORT)`,
  }));
  return [
    { host, port, wanted: 'by the gateway (PORT)' },
    ...(redirectPort === undefined ? [] : [{ host, port: redirectPort, wanted: 'by the gateway (REDIRECT_PORT)' }]),
    ...grpc,
    { host, port: statusPort, wanted: 'for the status page (STATUS_PORT)' },
    { host: ops.host, port: ops.port, wanted: 'for metrics and probes (OPS_PORT)' },
  ];
}
