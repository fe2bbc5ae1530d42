import { readAdminConfig, readDatabasePlace } from '../../admin/config.js';
import { readDeviceConfig } from '../../device-service/config.js';
import { readGatewayConfig } from '../../gateway/config.js';
import { readGateConfig } from '../../phone/kubernetes/gate/config.js';
import { readRelayConfig } from '../../relay-service/config.js';
import { readScreenConfig } from '../../screen-service/config.js';
import { readSimulatorConfig } from '../../simulated-phone/host/config.js';
import { readStartConfig } from '../../start/config.js';
import { readStatusConfig } from '../../status-service/config.js';
import { readWebhookConfig } from '../../webhook-service/config.js';

type Reader = (environment: NodeJS.ProcessEnv) => unknown;

/** The functions that read the settings of each program, by the program's name. All these programs read settings from the environment. */
export const READERS: Readonly<Record<string, readonly Reader[]>> = {
  start: [(environment) => readStartConfig(environment, false), readSimulatorConfig],
  gateway: [(environment) => readGatewayConfig(environment, false)],
  device: [(environment) => readDeviceConfig(environment, false), readSimulatorConfig],
  screen: [(environment) => readScreenConfig(environment, false)],
  relay: [(environment) => readRelayConfig(environment, false)],
  webhook: [(environment) => readWebhookConfig(environment, false)],
  status: [(environment) => readStatusConfig(environment, false)],
  admin: [readAdminConfig, readDatabasePlace],
  phone: [readSimulatorConfig],
  gate: [readGateConfig],
};
