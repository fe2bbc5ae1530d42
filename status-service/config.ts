import {
  type FrontConfig,
  frontSettings,
  logSettings,
  type OpsConfig,
  opsSettings,
  optionalServiceUrl,
} from '../kit/config/process-settings.js';
import { type HttpsConfig, httpsSettings } from '../kit/config/https-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log/log.js';
import { parseHttpUrl } from '../kit/text/parse-url.js';

export interface StatusConfig extends MeshConfig, OpsConfig, HttpsConfig, Pick<FrontConfig, 'hosts' | 'behindProxy'> {
  /** Address of the page. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** The folder that has the history, in its folder `status`. */
  dataDirectory: string;
  /** Where customers reach the REST API, without /v1. */
  apiUrl: URL;
  /** Base URL of the relay service, which knows the relays' ports. Absent: ADB is not checked. */
  relayServiceUrl: string | undefined;
  /** Base URL of the screen service. Absent: the check of live screens is limited to the probe target. */
  screenServiceUrl: string | undefined;
  log: LogOptions;
}

/** The address at which the edge listens by default. */
const USUAL_API = 'http://127.0.0.1:8080';

/** Reads the settings of a status service alone; throws one error that lists every fault. */
export function readStatusConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): StatusConfig {
  const settings = new Settings(environment);
  const port = settings.port('STATUS_PORT', 8081);
  const host = settings.address('STATUS_HOST', '127.0.0.1');
  const config: StatusConfig = {
    host,
    port,
    apiUrl: statusApiUrl(settings) ?? new URL(USUAL_API),
    relayServiceUrl: optionalServiceUrl(settings, 'RELAY_SERVICE_URL', 'http://127.0.0.1:7003'),
    screenServiceUrl: optionalServiceUrl(settings, 'SCREEN_SERVICE_URL', 'http://127.0.0.1:7002'),
    ...frontSettings(settings, [host]),
    ...httpsSettings(settings),
    ...meshSettings(settings),
    ...opsSettings(settings, port === 0 ? 0 : 7015),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

/** Reads STATUS_API_URL. The start of all services in one process uses it too. */
export function statusApiUrl(settings: Settings): URL | undefined {
  const text = settings.optionalText('STATUS_API_URL');
  const url = text === undefined ? undefined : parseHttpUrl(text);
  settings.require(
    text === undefined || url !== undefined,
    `STATUS_API_URL="${text ?? ''}" is not a URL such as https://phones.example.com`,
  );
  return url;
}
