import type { Settings } from '../system/system.js';

/**
 * Returns the HTTP proxy of the settings as `host:port`. Undefined where the setting is empty or something else; `settings put global
 * http_proxy :0` clears it. As on Android, apps use the proxy and the shell's commands do not.
 */
export function systemProxy(settings: Pick<Settings, 'get'>): string | undefined {
  const [proxy, , port] =
    /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(settings.get('global', 'http_proxy') ?? '') ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535 ? proxy : undefined;
}
