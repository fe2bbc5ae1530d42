import { logSettings } from '../../../kit/config/process-settings.js';
import { Settings } from '../../../kit/config/settings.js';
import type { LogOptions } from '../../../kit/log/log.js';
import { GATE_PORT, PROXY_PORT } from '../ports.js';
import type { GateOptions } from './gate.js';

export interface GateConfig extends Pick<GateOptions, 'proxy' | 'gate' | 'token'> {
  log: LogOptions;
}

/** Reads the settings that the pod gives its gate; throws one error that lists every fault. */
export function readGateConfig(environment: NodeJS.ProcessEnv): GateConfig {
  const settings = new Settings(environment);
  const token = settings.secret('GATE_TOKEN') ?? '';
  settings.require(token !== '', 'GATE_TOKEN is missing');
  const log = logSettings(settings, false);
  settings.check();
  return { proxy: { host: '127.0.0.1', port: PROXY_PORT }, gate: { host: '::', port: GATE_PORT }, token, log };
}
