import { Settings } from '../kit/config/settings.js';
import type { LogLevel } from '../kit/log.js';

export interface ScreenConfig {
  host: string;
  port: number;
  deviceServiceUrl: string;
  meshToken: string | undefined;
  logLevel: LogLevel;
}

/** Reads the settings of the screen service when it runs alone; throws one error that lists all that are wrong. */
export function screenConfig(environment: Readonly<Record<string, string | undefined>>): ScreenConfig {
  const settings = new Settings(environment);
  const config: ScreenConfig = {
    // Loopback, so that nobody outside reaches a service that was started without a mesh token.
    host: settings.text('RPC_HOST', '127.0.0.1'),
    // gRPC, gRPC-Web and Connect; 0 picks a free one.
    port: settings.port('SCREEN_GRPC_PORT', 7002),
    // Where PhoneService and AccessService answer.
    deviceServiceUrl: settings.text('DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    // Shared by all services; needed to listen anywhere but on loopback.
    meshToken: settings.optionalText('MESH_TOKEN'),
    logLevel: settings.choice('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  };
  settings.require(
    /^https?:\/\//.test(config.deviceServiceUrl),
    'DEVICE_SERVICE_URL must begin with http:// or https://',
  );
  settings.check();
  return config;
}
