import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Proxy } from './proxy-url.js';

/** The present destination of an exit's traffic. */
export type Upstream =
  /** The host's own connection. `pretends`: the address that a simulated exit shows to its phone. */
  | { kind: 'straight'; pretends?: string }
  /** `guarded`: the proxy is a customer's choice, so it must not be in the operator's own network. */
  | { kind: 'proxy'; proxy: Proxy; guarded: boolean }
  /** All traffic is refused. The reason is for the log and the customer. */
  | { kind: 'none'; reason: string };

/** Returns whether the proxy is on this machine. */
export function isLoopback({ host }: Proxy): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');
}
