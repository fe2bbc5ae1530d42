import {
  type FrontConfig,
  frontSettings,
  logSettings,
  type OpsConfig,
  opsSettings,
  optionalServiceUrl,
  serviceUrl,
} from '../kit/config/process-settings.js';
import {
  type HttpsConfig,
  httpsSettings,
  type RedirectConfig,
  redirectSettings,
} from '../kit/config/https-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log.js';
import { type EdgeLimits, KEYS_OF_ACCOUNT_RATE, RATES } from './limits.js';

export interface GatewayConfig extends MeshConfig, OpsConfig, FrontConfig, HttpsConfig, RedirectConfig {
  /** Address to listen on. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  deviceServiceUrl: string;
  screenServiceUrl: string;
  webhookServiceUrl: string;
  relayServiceUrl: string;
  /** Base URL of the status service, whose pages the edge shows too. Absent: it does not. */
  statusServiceUrl: string | undefined;
  /** Where rate limits are shared with other gateways. Absent: this gateway counts alone. */
  mongodbUrl: string | undefined;
  mongodbDatabase: string;
  /** Requests a minute. */
  limits: RateSettings;
  log: LogOptions;
}

/** Reads the gateway's settings; throws one error that lists every fault. */
export function readGatewayConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): GatewayConfig {
  const settings = new Settings(environment);
  const port = settings.port('PORT', 8080);
  const host = settings.address('GATEWAY_HOST', '127.0.0.1');
  const https = httpsSettings(settings);
  const config: GatewayConfig = {
    host,
    port,
    deviceServiceUrl: serviceUrl(settings, 'DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    screenServiceUrl: serviceUrl(settings, 'SCREEN_SERVICE_URL', 'http://127.0.0.1:7002'),
    webhookServiceUrl: serviceUrl(settings, 'WEBHOOK_SERVICE_URL', 'http://127.0.0.1:7004'),
    relayServiceUrl: serviceUrl(settings, 'RELAY_SERVICE_URL', 'http://127.0.0.1:7003'),
    statusServiceUrl: optionalServiceUrl(settings, 'STATUS_SERVICE_URL', 'http://127.0.0.1:8081'),
    ...meshSettings(settings),
    mongodbUrl: settings.secret('MONGODB_URL'),
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    limits: rateSettings(settings),
    ...frontSettings(settings, [host]),
    ...https,
    ...redirectSettings(settings, https),
    ...opsSettings(settings, port === 0 ? 0 : 7010),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

export type RateSettings = Pick<EdgeLimits, 'keyRequestsMax' | 'deviceRequestsMax' | 'accountRequestsMax'>;

/** KEY_REQUESTS_PER_MINUTE and DEVICE_REQUESTS_PER_MINUTE. An account has as many requests as a
 * fixed number of its keys together, and no fewer than one of its sessions. */
export function rateSettings(settings: Settings): RateSettings {
  const bounds = { min: 1, max: 1_000_000 };
  const keyRequestsMax = settings.integer('KEY_REQUESTS_PER_MINUTE', bounds, RATES.key);
  return {
    keyRequestsMax,
    deviceRequestsMax: settings.integer('DEVICE_REQUESTS_PER_MINUTE', bounds, RATES.device),
    accountRequestsMax: Math.max(RATES.session, keyRequestsMax * KEYS_OF_ACCOUNT_RATE),
  };
}
