import { opsSettings } from '../../kit/config/process-settings.js';
import { Settings } from '../../kit/config/settings.js';

/** Returns the URL of this container's /livez, from OPS_HOST and OPS_PORT. Throws an error that lists the settings that cannot be used. */
export function readLiveUrl(environment: NodeJS.ProcessEnv): string {
  const settings = new Settings(environment);
  const { host, port } = opsSettings(settings, 7010).ops;
  settings.require(port !== 0, 'OPS_PORT is 0: a health check needs a port that is known, such as 7010');
  settings.check();
  const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}/livez`;
}
