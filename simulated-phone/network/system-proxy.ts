import type { Settings } from '../system.js';

/**
 * The HTTP proxy that the settings name to apps, as `host:port`; undefined where they name none (`:0`, as `settings put global http_proxy
 * :0` clears it) or something else. As on Android, apps use it and the shell's commands do not.
 */
export function systemProxy(settings: Pick<Settings, 'get'>): string | undefined {
  const [proxy, , port] =
    /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(settings.get('global', 'http_proxy') ?? '') ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535 ? proxy : undefined;
}
