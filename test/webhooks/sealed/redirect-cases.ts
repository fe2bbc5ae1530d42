import { PUBLIC_V4 } from './forbidden-cases.js';

/** An answer of a receiver at a public address that points elsewhere. `url` makes it answer so. */
export interface RedirectCase {
  url: string;
  /** The address that it points to, which no other case has; absent where nobody would go there. */
  to?: string;
}

const RECEIVER = `http://${PUBLIC_V4}:8080/answer`;
let cases = 0;
const nextAddress = (): string => `172.16.${++cases >> 8}.${cases & 255}`;

function answering(status: number, headers: Record<string, string>): string {
  return `${RECEIVER}?status=${status}&headers=${encodeURIComponent(JSON.stringify(headers))}&case=${cases}`;
}

/** Ways to write where a redirect leads. */
const locations: readonly ((host: string) => string)[] = [
  (host) => `http://${host}/`,
  (host) => `http://${host}:8080/secret`,
  (host) => `https://${host}/`,
  (host) => `//${host}:8080/`,
  (host) => `\\\\${host}:8080\\`,
  (host) => `http:\\\\${host}:8080`,
  (host) => `HTTP://${host}:8080/`,
  (host) => `http:////${host}:8080/`,
  (host) => `\thttp://${host}:8080/\t`,
  (host) => `http://${PUBLIC_V4}@${host}:8080/`,
  (host) => `http://${host}:8080#@${PUBLIC_V4}/`,
  (host) => `http://${numberOf(host)}:8080/`,
  (host) => `http://0x${numberOf(host).toString(16)}:8080/`,
  (host) => `http://0${numberOf(host).toString(8)}:8080/`,
  (host) => `http://${host.replace(/\.0*(\d+)\.(\d+)$/, (_, c: string, d: string) => `.${Number(c) * 256 + Number(d)}`)}:8080/`,
  (host) => `http://[::ffff:${host}]:8080/`,
  (host) => `http://${host.replaceAll('.', '%2e')}:8080/`,
  (host) => `http://${host}.:8080/`,
]; // prettier-ignore

const statuses = [300, 301, 302, 303, 307, 308];

/** 3xx with a Location. */
export const redirectCases: readonly RedirectCase[] = [
  ...statuses.flatMap((status) => locations.slice(0, 3).map((write) => redirect(status, write))),
  ...locations.slice(3).flatMap((write) => [302, 307].map((status) => redirect(status, write))),
];

/** 3xx that lead nowhere, or back to the receiver itself. */
export const lameRedirectCases: readonly RedirectCase[] = [
  ...[304, 305, 306, 310, 399].map((status) => redirect(status, (host) => `http://${host}:8080/`)).map(withoutAim),
  ...['/again', '?again', '', 'http://', 'http://[', 'about:blank', 'file:///etc/passwd', 'javascript:0'].map((location) =>
    withoutAim(redirect(302, () => location)),
  ),
]; // prettier-ignore

/** Answers that do not redirect, but point elsewhere all the same. */
export const pointingCases: readonly RedirectCase[] = [
  [200, 'location'],
  [201, 'location'],
  [202, 'content-location'],
  [200, 'refresh', '0; url='],
  [200, 'link', '', '; rel=preload'],
  [200, 'alt-svc', 'h2='],
].map(([status, name, before = '', after = '']) => {
  const to = nextAddress();
  return { url: answering(Number(status), { [String(name)]: `${before}http://${to}:8080/${after}` }), to };
});

function redirect(status: number, write: (host: string) => string): Required<RedirectCase> {
  const to = nextAddress();
  return { url: answering(status, { location: write(to) }), to };
}

function withoutAim({ url }: RedirectCase): RedirectCase {
  return { url };
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}
