import { Settings } from '../kit/config/settings.js';
import type { LogLevel } from '../kit/log.js';

export interface GatewayConfig {
  /** Address to listen on. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  deviceServiceUrl: string;
  screenServiceUrl: string;
  /** Shared with the services; absent when they listen on loopback only. */
  meshToken: string | undefined;
  logLevel: LogLevel;
  /** Whether log lines are for a person at a terminal. */
  logPretty: boolean;
}

/** Reads the gateway's settings; throws one error that lists every fault. */
export function readGatewayConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): GatewayConfig {
  const settings = new Settings(environment);
  const config: GatewayConfig = {
    host: settings.text('GATEWAY_HOST', '127.0.0.1'),
    port: settings.port('PORT', 8080),
    deviceServiceUrl: settings.text('DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    screenServiceUrl: settings.text('SCREEN_SERVICE_URL', 'http://127.0.0.1:7002'),
    meshToken: settings.optionalText('MESH_TOKEN'),
    logLevel: settings.choice('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    logPretty: isTerminal,
  };
  for (const [name, url] of [
    ['DEVICE_SERVICE_URL', config.deviceServiceUrl],
    ['SCREEN_SERVICE_URL', config.screenServiceUrl],
  ] as const) {
    const usable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    settings.require(usable, `${name}="${url}" is not a URL such as http://127.0.0.1:7001`);
  }
  settings.check();
  return config;
}
