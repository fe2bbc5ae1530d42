import { httpProxyIn, PRINT_HTTP_PROXY } from '../phone/link/http-proxy-setting.js';

/** The part of a checked phone that requests need. */
export interface PhoneWithShell {
  shell(command: string): Promise<string>;
}

/** How long a request from the phone may take, s. A request that takes longer was held back. */
const FETCH_S = 10;

/** Returns the HTTP proxy of the phone's system, as `host:port`; undefined where it has none. */
export async function systemProxyOf(phone: PhoneWithShell): Promise<string | undefined> {
  return httpProxyIn(await phone.shell(PRINT_HTTP_PROXY));
}

/**
 * Has the phone request a page, with the program that its Android has for it. `proxy`: `host:port` of an HTTP proxy to send the request to;
 * absent: it goes directly to the page. A failed request throws no error: the page counts the requests that reach it.
 */
export async function fetchPage(
  phone: PhoneWithShell,
  { host, port }: { host: string; port: number },
  proxy?: string,
): Promise<void> {
  const url = `http://${inUrl(host)}:${port}/`;
  const via = proxy === undefined ? undefined : /^\[?(.+?)\]?:(\d+)$/.exec(proxy);
  const request = `printf 'GET ${via == null ? '/' : url} HTTP/1.0\\r\\nHost: ${host}\\r\\n\\r\\n'`;
  const byNetcat = `${request} | nc -w ${FETCH_S} ${via?.[1] ?? host} ${via?.[2] ?? port}`;
  const byCurl = `curl -s -m ${FETCH_S} ${proxy === undefined ? '' : `-x 'http://${proxy}' `}${url}`;
  await phone.shell(`if command -v curl >/dev/null; then ${byCurl}; else ${byNetcat}; fi`);
}

/** Returns a host as a URL has it. An IPv6 address gets brackets, as its colons would else begin a port. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
