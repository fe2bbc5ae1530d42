import { parseUrl } from '../../kit/parse-url.js';
import { connect } from 'node:net';
import type { Clock } from '../../kit/clock.js';
import { type GuardOptions, guardedLookup, isRefusedHost } from '../../kit/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';
import { CHECK_TIMEOUT_MS } from '../limits.js';
import type { Finding } from './finding.js';

export interface CheckExitParts extends GuardOptions {
  clock: Clock;
}

/**
 * Checks a phone's exit as far as that is possible without using the phone: its proxy accepts connections. An
 * exit without a proxy is the host's own connection, which this service itself lives on. Proxies are customers' choice, so private
 * addresses are not connected to, and look like a proxy that does not respond.
 */
export async function checkExit({ proxy }: PhoneExit, parts: CheckExitParts): Promise<Finding> {
  const url = parseUrl(proxy ?? '');
  if (url === undefined) return undefined;
  const { hostname, port, protocol } = url;
  const isUp = await acceptsConnections(
    hostname.replace(/^\[|\]$/g, ''),
    Number(port) || DEFAULT_PORTS[protocol] || 80,
    parts,
  );
  if (isUp) return undefined;
  return {
    kind: 'exit',
    message: "The proxy of the phone's network exit does not respond. Change the exit, or mend the proxy.",
  };
}

/** Where the proxy URL names no port. */
const DEFAULT_PORTS: Record<string, number | undefined> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

function acceptsConnections(host: string, port: number, { clock, ...guard }: CheckExitParts): Promise<boolean> {
  if (isRefusedHost(host, guard)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host, port, lookup: guardedLookup(guard) });
    const end = (accepts: boolean): void => {
      timer.cancel();
      socket.destroy();
      resolve(accepts);
    };
    const timer = clock.after(CHECK_TIMEOUT_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
