/** The shell command that prints the HTTP proxy of the phone's system, for `httpProxyIn`. */
export const PRINT_HTTP_PROXY = 'settings get global http_proxy';

const HOST_AND_PORT = /^([a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\]):(\d{1,5})$/i;

/**
 * Returns the HTTP proxy that a phone's system names to its apps, as `host:port`, from the output of PRINT_HTTP_PROXY. Returns undefined
 * where the system names no proxy (`null`, nothing, `:0`), or something else. Android's own commands, such as curl, do not use this setting
 * by themselves.
 */
export function httpProxyIn(printed: string): string | undefined {
  const [typed, , digits] = HOST_AND_PORT.exec(printed.trim()) ?? [];
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? typed : undefined;
}
