import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Log } from '../../../kit/log/log.js';
import { isTimezone } from '../../record/timezone.js';
import { isLoopback, type Upstream } from './upstream.js';

/** The host of a page that each forwarder of a simulated exit serves. It shows the address that the exit pretends to have. */
export const ADDRESS_HOST = 'address.invalid';

/** A page that anybody may fetch, on a host that is reserved for documentation. It shows no address, only that the way to it works. */
const NEUTRAL_PAGE = 'http://example.com/';

/** The page that a phone, or a check, fetches through an exit to see its address. */
export interface AddressPage {
  url: string;
  /** False: the page shows no address. An exit works when the page can be fetched, and its address is not known. */
  showsAddress: boolean;
}

/** The address that a page showed. */
export interface SeenAddress {
  address: string;
  /** ISO 3166-1 alpha-2, lower case. Absent: the page does not show it. */
  country?: string;
  /** IANA name. Absent: the page does not show it. */
  timezone?: string;
}

/**
 * Chooses the page for an exit. A simulated exit has its own page, and others have the operator's (ADDRESS_URL). Without one, exits on this
 * machine get a page of this process where private targets are allowed. All others get the neutral page.
 */
export class AddressPages {
  readonly #configured: string | undefined;
  readonly #allowPrivateTargets: boolean;
  readonly #log: Log;
  #own: Promise<Server> | undefined;

  constructor(options: { addressUrl: string | undefined; allowPrivateTargets: boolean; log: Log }) {
    this.#log = options.log;
    this.#configured = options.addressUrl;
    this.#allowPrivateTargets = options.allowPrivateTargets;
  }

  async pageFor(upstream: Upstream): Promise<AddressPage> {
    if (upstream.kind === 'straight' && upstream.pretends !== undefined) {
      return { url: `http://${ADDRESS_HOST}/`, showsAddress: true };
    }
    if (this.#configured !== undefined) return { url: this.#configured, showsAddress: true };
    const isHere = this.#allowPrivateTargets && (upstream.kind !== 'proxy' || isLoopback(upstream.proxy));
    if (!isHere) return { url: NEUTRAL_PAGE, showsAddress: false };
    return { url: await this.#ownPage(), showsAddress: true };
  }

  async close(): Promise<void> {
    const server = await this.#own;
    server?.close();
    server?.closeAllConnections();
  }

  /** Returns the page of this process, which is opened when it is first needed. */
  async #ownPage(): Promise<string> {
    this.#own ??= openOwnPage(this.#log).catch((error: unknown) => {
      this.#own = undefined;
      throw error;
    });
    return `http://127.0.0.1:${((await this.#own).address() as AddressInfo).port}/`;
  }
}

async function openOwnPage(log: Log): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' });
    response.end((request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  server.on('error', (error) => log.error({ err: error }, 'the page that shows addresses failed'));
  return server;
}

/** Parses the responses of the usual services: an address alone, or JSON with one. Returns undefined for anything else. */
export function seenIn(text: string): SeenAddress | undefined {
  const plain = text.trim();
  if (isIP(plain) !== 0) return { address: plain };
  let fields: unknown;
  try {
    fields = JSON.parse(plain);
  } catch {
    return undefined; // a page of something else, such as a log-in page of the proxy's network
  }
  if (typeof fields !== 'object' || fields === null) return undefined;
  const words = fields as Record<string, unknown>;
  const first = (names: readonly string[], fits: (text: string) => boolean): string | undefined =>
    names.map((name) => words[name]).find((value): value is string => typeof value === 'string' && fits(value));
  const address = first(['ip', 'address', 'query', 'ip_addr', 'ipAddress'], (value) => isIP(value) !== 0);
  if (address === undefined) return undefined;
  const country = first(['country_code', 'countryCode', 'country_iso', 'country'], (value) =>
    /^[a-z]{2}$/i.test(value),
  );
  const timezone = first(['timezone', 'time_zone'], isTimezone);
  return {
    address,
    ...(country !== undefined && { country: country.toLowerCase() }),
    ...(timezone !== undefined && { timezone }),
  };
}
