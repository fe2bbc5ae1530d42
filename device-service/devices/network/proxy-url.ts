import { parseUrl } from '../../../kit/text/parse-url.js';

/** A proxy that an exit goes through, with credentials. Never logged. */
export interface Proxy {
  scheme: ProxyScheme;
  /** A name or an address, IPv6 without brackets. */
  host: string;
  port: number;
  user?: string;
  password?: string;
}

export type ProxyScheme = (typeof SCHEMES)[number];

const SCHEMES = ['http', 'https', 'socks5'] as const;

/** Longest user name, and longest password: RFC 1929 has one byte for the length of each. */
const MAX_CREDENTIAL_BYTES = 255;

/**
 * Returns the proxy that `text` names, or the fault in it. The fault does not repeat the text, which may hold a password. The port has to
 * be given, as there is no common default (80, 3128, 8080; 1080).
 */
export function parseProxyUrl(text: string): Proxy | { fault: string } {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/(?:(.*)@)?([^@/?#]*)\/?$/is.exec(text);
  if (parts === null) return { fault: `is not a URL such as socks5://user:password@host:1080` };
  const [, word = '', userInfo, authority = ''] = parts;
  const scheme = SCHEMES.find((one) => one === word.toLowerCase());
  if (scheme === undefined)
    return { fault: `has the scheme "${word.slice(0, 20)}"; allowed are ${SCHEMES.join(', ')}` };
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? [];
  if (name === '') return { fault: 'has no host, or more than a host and a port' };
  if (digits === undefined) return { fault: 'has no port: write it, as in host:1080' };
  const port = Number(digits);
  if (port < 1 || port > 65_535) return { fault: `has the port ${port}; allowed are 1 to 65535` };
  const host = plainHost(name);
  if (host === undefined) return { fault: 'has a host that is neither a name nor an address' };
  if (userInfo === undefined) return { scheme, host, port };
  const login = parseLogin(userInfo);
  return 'fault' in login ? login : { scheme, host, port, ...login };
}

/** Returns a host in its normal spelling: `0x7f.1` becomes 127.0.0.1, and names become lower-case ASCII. */
function plainHost(name: string): string | undefined {
  const hostname = parseUrl(`http://${name}/`)?.hostname ?? '';
  const bare = hostname.replace(/^\[|\]$/g, '');
  return /^[a-z0-9_.:-]{1,253}$/.test(bare) ? bare : undefined;
}

function parseLogin(userInfo: string): { user: string; password: string } | { fault: string } {
  const at = userInfo.indexOf(':');
  const [user, password] = (at < 0 ? [userInfo, ''] : [userInfo.slice(0, at), userInfo.slice(at + 1)]).map(decoded);
  if (user === undefined || password === undefined) {
    return { fault: 'has a user name or password with a % that begins no escape: write % as %25' };
  }
  if (user === '') return { fault: 'has a password without a user name' };
  for (const text of [user, password]) {
    // Control characters would end a line of the request, or a field of the login, in which they are sent.
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f]/.test(text)) return { fault: 'has control characters in its user name or password' };
    if (Buffer.byteLength(text) > MAX_CREDENTIAL_BYTES) {
      return { fault: `has a user name or password longer than ${MAX_CREDENTIAL_BYTES} bytes` };
    }
  }
  if (user.includes(':')) return { fault: 'has a colon in its user name, which no proxy can be sent' };
  return { user, password };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
