import { logSettings, type OpsConfig, opsSettings, serviceUrl } from '../kit/config/process-settings.js';
import { type MeshConfig, meshSettings } from '../kit/config/rpc-settings.js';
import { Settings } from '../kit/config/settings.js';
import type { LogOptions } from '../kit/log/log.js';

export interface WebhookConfig extends MeshConfig, OpsConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Base URL of AccessService. */
  deviceServiceUrl: string;
  /** Where deliveries are kept; shared by all instances. */
  mongodbUrl: string;
  /** The file that the URL was read from, whose login is followed. Absent: it is none. */
  mongodbUrlFile?: string | undefined;
  mongodbDatabase: string;
  /** Lets webhook URLs lead into the operator's own network. */
  allowPrivateTargets: boolean;
  log: LogOptions;
}

/** Reads the webhook service's settings; throws one error that lists every fault. */
export function readWebhookConfig(environment: NodeJS.ProcessEnv, isTerminal: boolean): WebhookConfig {
  const settings = new Settings(environment);
  const mongodbUrl = settings.secret('MONGODB_URL') ?? '';
  settings.require(
    mongodbUrl !== '',
    'MONGODB_URL is missing: the webhook service keeps its queue there, for example mongodb://127.0.0.1:27017',
  );
  const port = settings.port('WEBHOOK_GRPC_PORT', 7004);
  const config: WebhookConfig = {
    host: settings.address('WEBHOOK_HOST', '127.0.0.1'),
    port,
    deviceServiceUrl: serviceUrl(settings, 'DEVICE_SERVICE_URL', 'http://127.0.0.1:7001'),
    mongodbUrl,
    mongodbUrlFile: settings.secretFile('MONGODB_URL'),
    mongodbDatabase: settings.text('MONGODB_DATABASE', 'cloudphone'),
    ...meshSettings(settings),
    allowPrivateTargets: settings.flag('ALLOW_PRIVATE_TARGETS', false),
    ...opsSettings(settings, port === 0 ? 0 : 7014),
    log: logSettings(settings, isTerminal),
  };
  settings.check();
  return config;
}
