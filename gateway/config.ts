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
import { KEY_RATE_BOUNDS } from '../kit/net/key-rate.js';
import { Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log/log.js';
import { type EdgeLimits, KEYS_OF_ACCOUNT_RATE, RATES } from './limits.js';

export interface GatewayConfig extends MeshConfig, OpsConfig, FrontConfig, HttpsConfig, RedirectConfig {
  /** The address on which the gateway listens. */
  host: string;
  /** The port; 0 picks a free one. */
  port: number;
  deviceServiceUrl: string;
  screenServiceUrl: string;
  webhookServiceUrl: string;
  relayServiceUrl: string;
  /** Base URL of the status service, whose pages the edge shows too. Absent: the edge does not show them. */
  statusServiceUrl: string | undefined;
  /** The database in which gateways share rate limits. Absent: this gateway counts alone. */
  mongodbUrl: string | undefined;
  /** The file that the URL was read from, whose login is followed. Absent: it is none. */
  mongodbUrlFile?: string | undefined;
  mongodbDatabase: string;
  /** Bounds of requests in a minute. */
  limits: RateSettings;
  /** Whether the edge serves MCP. */
  mcp: boolean;
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
    mongodbUrlFile: settings.secretFile('MONGODB_URL'),
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    limits: rateSettings(settings),
    mcp: mcpSetting(settings),
    ...frontSettings(settings, [host]),
    ...https,
    ...redirectSettings(settings, https),
    ...opsSettings(settings, port === 0 ? 0 : 7010),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}

export type RateSettings = Pick<EdgeLimits, 'maxKeyRequests' | 'maxDeviceRequests' | 'maxAccountRequests'>;

/**
 * Reads KEY_REQUESTS_PER_MINUTE and DEVICE_REQUESTS_PER_MINUTE. An account may send as many requests as KEYS_OF_ACCOUNT_RATE keys together,
 * and at least as many as one session.
 */
export function rateSettings(settings: Settings): RateSettings {
  const maxKeyRequests = settings.integer('KEY_REQUESTS_PER_MINUTE', KEY_RATE_BOUNDS, RATES.key);
  return {
    maxKeyRequests,
    maxDeviceRequests: settings.integer('DEVICE_REQUESTS_PER_MINUTE', KEY_RATE_BOUNDS, RATES.device),
    maxAccountRequests: Math.max(RATES.session, maxKeyRequests * KEYS_OF_ACCOUNT_RATE),
  };
}

/** Reads MCP. It is on by default, as its clients need an API key and can do no more than by the API. */
export function mcpSetting(settings: Settings): boolean {
  return settings.flag('MCP', true);
}
