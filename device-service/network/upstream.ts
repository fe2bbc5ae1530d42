import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Proxy } from './proxy-url.js';

/** Where the traffic of an exit goes, at this moment. */
export type Upstream =
  /** The host's own connection. `pretends`: the address that a simulated exit shows to its phone. */
  | { kind: 'straight'; pretends?: string }
  /** `guarded`: the proxy is a customer's choice, so it must not be in the operator's own network. */
  | { kind: 'proxy'; proxy: Proxy; guarded: boolean }
  /** Nowhere: all traffic is refused. The reason is for the log and the customer. */
  | { kind: 'none'; reason: string };

/** Whether the proxy is on this machine. */
export function isLoopback({ host }: Proxy): boolean {
  return host === 'localhost' || (isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback');
}
