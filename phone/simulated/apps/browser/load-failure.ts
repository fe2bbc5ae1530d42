import { parseUrl } from '../../../../kit/parse-url.js';

export interface LoadFailure {
  /** As browsers name it: `ERR_NAME_NOT_RESOLVED`. */
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
  ERR_REFUSED_TARGET: ['ERR_BLOCKED_BY_NETWORK', (host) => `${host} is not on the public internet.`],
};

/** The text shown for a page that did not load. */
export function loadFailure(error: unknown, url: string): LoadFailure {
  const host = parseUrl(url)?.host ?? url;
  const [code, detail] = KNOWN[codeOf(error)] ?? ['ERR_FAILED', (name: string) => `${name} could not be loaded.`];
  return { code, title: 'This site can’t be reached', detail: detail(host) };
}

function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'FetchTimeout') return 'ETIMEDOUT';
    if ('code' in cause && typeof cause.code === 'string' && cause.code in KNOWN) return cause.code;
  }
  return '';
}
