import { parseUrl } from '../../../kit/text/parse-url.js';

export interface LoadFailure {
  /** The code by which browsers name it: `ERR_NAME_NOT_RESOLVED`. */
  code: string;
  title: string;
  detail: string;
}

/** Node's codes in the words of a browser. */
const KNOWN: Readonly<Record<string, [code: string, detail: (host: string) => string]>> = {
  ENOTFOUND: ['ERR_NAME_NOT_RESOLVED', (host) => `${host}’s address could not be found.`],
  EAI_AGAIN: ['ERR_NAME_NOT_RESOLVED', (host) => `${host}’s address could not be found.`],
  ECONNREFUSED: ['ERR_CONNECTION_REFUSED', (host) => `${host} refused to connect.`],
  ECONNRESET: ['ERR_CONNECTION_RESET', () => 'The connection was reset.'],
  UND_ERR_SOCKET: ['ERR_CONNECTION_CLOSED', (host) => `${host} closed the connection.`],
  ETIMEDOUT: ['ERR_TIMED_OUT', (host) => `${host} took too long to respond.`],
  UND_ERR_CONNECT_TIMEOUT: ['ERR_TIMED_OUT', (host) => `${host} took too long to respond.`],
  UND_ERR_HEADERS_TIMEOUT: ['ERR_TIMED_OUT', (host) => `${host} took too long to respond.`],
  ENOENT: ['ERR_FILE_NOT_FOUND', () => 'It may have been moved, changed, or deleted.'],
  EISDIR: ['ERR_FILE_NOT_FOUND', () => 'It may have been moved, changed, or deleted.'],
  EACCES: ['ERR_ACCESS_DENIED', () => 'The browser may not read this file.'],
  EXIT_NONE: ['ERR_PROXY_CONNECTION_FAILED', () => 'The phone has no way out to the internet.'],
  EXIT_LOGIN: ['ERR_PROXY_AUTH_UNSUPPORTED', () => 'The proxy of the phone’s exit refused the login.'],
  EXIT_UNREACHABLE: ['ERR_CONNECTION_FAILED', (host) => `${host} could not be reached.`],
  EXIT_TARGET: ['ERR_TUNNEL_CONNECTION_FAILED', (host) => `The proxy of the phone’s exit did not reach ${host}.`],
  EXIT_TIMEOUT: ['ERR_TIMED_OUT', (host) => `${host} took too long to respond.`],
  EXIT_REFUSED: ['ERR_BLOCKED_BY_NETWORK', (host) => `${host} is not on the public internet.`],
  ERR_REFUSED_TARGET: ['ERR_BLOCKED_BY_NETWORK', (host) => `${host} is not on the public internet.`],
};

/** Codes of failures to connect. With a proxy, the phone connects only to the proxy, so they mean that the proxy was not reached. */
const NOT_CONNECTED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

/** Returns the text that is shown for a page that did not load. `byProxy`: the request went to the proxy of the phone's settings. */
export function loadFailure(error: unknown, url: string, { byProxy }: { byProxy: boolean }): LoadFailure {
  const host = parseUrl(url)?.host ?? url;
  const found = codeOf(error);
  if (byProxy && NOT_CONNECTED.has(found))
    return { code: 'ERR_PROXY_CONNECTION_FAILED', title: 'No internet', detail: 'The proxy server does not respond.' };
  const [code, detail] = KNOWN[found] ?? ['ERR_FAILED', (name: string) => `${name} could not be loaded.`];
  return { code, title: 'This site can’t be reached', detail: detail(host) };
}

function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'FetchTimeout') return 'ETIMEDOUT';
    if ('code' in cause && typeof cause.code === 'string' && cause.code in KNOWN) return cause.code;
  }
  return '';
}
