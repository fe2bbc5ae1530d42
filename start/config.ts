import {
  accessSettings,
  auditSettings,
  appSettings,
  dataSettings,
  type DeviceConfig,
  helperSettings,
  moveSettings,
  networkSettings,
  priceSettings,
  secretBoxSetting,
  snapshotStoreSettings,
  stripeSettings,
  recordingSettings,
  timelineSettings,
} from '../device-service/config.js';
import { driverSettings } from '../device-service/driver-settings.js';
import { mailSettings } from '../device-service/accounts/mail/mail-settings.js';
import { signInSettings } from '../device-service/sign-in-settings.js';
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
import type { SettingName } from '../kit/config/setting-list/setting-list.js';
import { Settings } from '../kit/config/settings.js';
import { mcpSetting, type RateSettings, rateSettings } from '../gateway/config.js';
import { relaySettings, type RelaySettings } from '../relay-service/config.js';
import { crashesSetting, ffmpegSetting, scrcpyServerSetting } from '../screen-service/config.js';
import { statusApiUrl } from '../status-service/config.js';
import type { WantedPort } from './taken-ports.js';

/** The settings of a start that runs all services in one process. */
export interface StartConfig
  extends
    Pick<
      DeviceConfig,
      | 'dataDirectory'
      | 'mongodbUrl'
      | 'mongodbUrlFile'
      | 'mongodbDatabase'
      | 'hostId'
      | 'driver'
      | 'log'
      | 'meshToken'
      | 'tls'
    >,
    Pick<
      DeviceConfig,
      | 'residentHelpers'
      | 'moveMbPerS'
      | 'snapshotBucket'
      | 'signUpOpen'
      | 'auditDays'
      | 'auditToStdout'
      | 'passwordSignIn'
      | 'oidc'
      | 'quotas'
      | 'maxKeyRequests'
      | 'prices'
      | 'recordings'
      | 'timeline'
      | 'secretBox'
      | 'stripe'
      | 'mail'
      | 'apps'
      | 'exitsFile'
      | 'addressUrl'
      | 'hostPlace'
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
  /** Whether the edge serves MCP. */
  mcp: boolean;
  /** Path of scrcpy's server. Undefined: the one that was fetched, if any. */
  scrcpyServer: string | undefined;
  ffmpeg: string;
  /** Whether the logs of phones are watched for crashes of apps. */
  watchCrashes: boolean;
  /** The status page; 0 picks a free one. */
  statusPort: number;
  /** The URL at which the status page's checks reach the REST API. Absent: the URL that customers use. */
  statusApiUrl: URL | undefined;
}

/** Reads the settings of `npm start`; throws one error that lists every fault. */
export function readStartConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): StartConfig {
  const settings = new Settings(environment);
  const port = settings.port('PORT', 8080);
  // PORT=0 lets a second installation run beside the first. So no other port is fixed then.
  const otherPort = (name: SettingName, fallback: number): number => settings.port(name, port === 0 ? 0 : fallback);
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
    ffmpeg: ffmpegSetting(settings),
    watchCrashes: crashesSetting(settings),
    statusPort: otherPort('STATUS_PORT', 8081),
    statusApiUrl: statusApiUrl(settings),
    ...dataSettings(settings),
    ...accessSettings(settings, { host, ...front, ...https }),
    ...signInSettings(settings, front.publicUrl),
    prices: priceSettings(settings),
    recordings: recordingSettings(settings),
    ...auditSettings(settings),
    timeline: timelineSettings(settings),
    limits: rateSettings(settings),
    mcp: mcpSetting(settings),
    secretBox: secretBoxSetting(settings),
    stripe: stripeSettings(settings),
    mail: mailSettings(settings, front.publicUrl),
    ...front,
    ...https,
    ...redirectSettings(settings, https),
    ...meshSettings(settings),
    driver: driverSettings(settings, environment),
    ...helperSettings(settings),
    ...moveSettings(settings),
    ...snapshotStoreSettings(settings),
    apps: appSettings(settings),
    ...networkSettings(settings),
    ...opsSettings(settings, port === 0 ? 0 : 7010),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** Returns the ports that a start opens, each with a text that says what it is for. */
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
