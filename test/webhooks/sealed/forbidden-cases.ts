import { forbiddenAddresses, forbiddenHosts } from '../forbidden-targets.js';
import type { NameAnswer } from './name-server.js';
import { PORTS } from './sealed-trial.js';

/** Addresses that the guard takes for public. In a sealed network they are reached like all others. */
export const PUBLIC_V4 = '93.184.216.34';
export const PUBLIC_V6 = '2606:2800:220:1:248:1893:25c8:1946';

/** A webhook URL that leads where it must not. */
export interface ForbiddenCase {
  url: string;
  /**
   * A guard that lets everything through shows by the path that is asked for, or at an address that no other case has.
   */
  seen: { path: string } | { address: string };
  names?: Record<string, NameAnswer[]>;
}

const PORT = 8080;
let cases = 0;
const nextPath = (): { path: string } => ({ path: `/case-${++cases}` });
const nextAddress = (): { address: string } => ({ address: `10.77.${cases >> 8}.${++cases & 255}` });
const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Every spelling of forbidden addresses as a host. */
export const spelledCases: readonly ForbiddenCase[] = forbiddenHosts.map((host) => {
  const seen = nextPath();
  return { url: `http://${host}:${PORT}${seen.path}`, seen };
});

/** Ports of all sorts, named and left out. */
export const portCases: readonly ForbiddenCase[] = ['127.0.0.1', '169.254.169.254', 'fd00::1'].flatMap((address) => [
  ...PORTS.map((port) => {
    const seen = nextPath();
    return { url: `http://${inUrl(address)}:${port}${seen.path}`, seen };
  }),
]);

/** URLs written so that one reader takes another host for the target than the next. */
export const writtenCases: readonly ForbiddenCase[] = [
  (host: string) => `http://${host}/`,
  (host: string) => `https://${host}/`,
  (host: string) => `https://${host}:8443/`,
  (host: string) => `HTTP://${host}:${PORT}/`,
  (host: string) => ` \thttp://${host}:${PORT}/ `,
  (host: string) => `ht\ntp://${host}:${PORT}/`,
  (host: string) => `http:/${host}:${PORT}/`,
  (host: string) => `http:${host}:${PORT}/`,
  (host: string) => `http:////${host}:${PORT}/`,
  (host: string) => `http:\\\\${host}:${PORT}\\`,
  (host: string) => `http://${host}:0${PORT}/`,
  (host: string) => `http://${host}:${PORT}\\@${PUBLIC_V4}/`,
  (host: string) => `http://${host}:${PORT}#@${PUBLIC_V4}/`,
  (host: string) => `http://${host}:${PORT}?@${PUBLIC_V4}/`,
  (host: string) => `http://${host}:${PORT};@${PUBLIC_V4}/`.replace(';@', '/;@'),
  (host: string) => `http://${PUBLIC_V4}@${host}:${PORT}/`,
  (host: string) => `http://${PUBLIC_V4}:${PORT}@${host}:${PORT}/`,
  (host: string) => `http://${PUBLIC_V4}%2F@${host}:${PORT}/`,
  (host: string) => `http://${PUBLIC_V4}%00@${host}:${PORT}/`,
  (host: string) => `http://a:b@c@${host}:${PORT}/`,
  (host: string) => `http://@${host}:${PORT}/`,
  (host: string) => `http://:@${host}:${PORT}/`,
  (host: string) => `http://${host.replaceAll('.', '%2e')}:${PORT}/`,
  (host: string) => `http://${host.replaceAll('.', '\uff0e')}:${PORT}/`,
  (host: string) => `http://${host.replace('.', '.\u00ad')}:${PORT}/`,
  (host: string) => `http://${host.replace('.', '\t.')}:${PORT}/`,
].map((write) => {
  const seen = nextAddress();
  return { url: write(seen.address), seen };
});

/** Names that lead to forbidden addresses: alone, before and after a good one, last of many, by another name. */
export const nameCases: readonly ForbiddenCase[] = forbiddenAddresses.flatMap((address, at) => {
  const good = address.includes(':') ? PUBLIC_V6 : PUBLIC_V4;
  const answers: Record<string, NameAnswer> = {
    alone: { addresses: [address] },
    first: { addresses: [address, good] },
    alias: { alias: `internal-${at}.example`, addresses: [address] },
  };
  return Object.entries(answers).map(([way, answer]) => named(`${way}-${at}.example`, [answer]));
});

/** The same, where a client without a guard would be content with the good one. */
export const mixedCases: readonly ForbiddenCase[] = forbiddenAddresses.flatMap((address, at) => {
  const answers: Record<string, NameAnswer> = {
    second: { addresses: [PUBLIC_V4, PUBLIC_V6, address] },
    last: { addresses: [...Array.from({ length: 20 }, (_, n) => `93.184.216.${n + 1}`), address] },
  };
  return Object.entries(answers).map(([way, answer]) => named(`${way}-${at}.example`, [answer]));
});

/** Names that systems know by themselves, or that carry an address. */
export const knownNameCases: readonly ForbiddenCase[] = [
  ...['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'localhost.localdomain', 'ip6-localhost'],
  ...['127.0.0.1.ip.example', '127-0-0-1.example', '1.0.0.127.in-addr.arpa', 'xn--n3h.example', 'a_b.example'],
].map((name) => named(name, [{ addresses: ['127.0.0.1', '::1'] }])); // prettier-ignore

/** Texts that are no http or https URL at all. */
export const notHttp: readonly string[] = [
  ...['ftp://10.0.0.1/', 'file:///etc/passwd', 'gopher://10.0.0.1:6379/_x', 'ws://10.0.0.1:8080/', 'data:text/plain,x'],
  ...['unix:/var/run/docker.sock', 'http://', 'http://[::1', 'http://10.0.0.1:65536/', 'http://[fe80::1%25lo]:8080/'],
  ...['http://10.0.0.256/', 'http://0x100000000/', 'http://127.0.0.1.1.1/', '//10.0.0.1/', '10.0.0.1:8080', '/hook'],
];

function named(name: string, answers: NameAnswer[]): ForbiddenCase {
  const seen = nextPath();
  return { url: `http://${name}:${PORT}${seen.path}`, seen, names: { [name.replace(/\.$/, '')]: answers } };
}
