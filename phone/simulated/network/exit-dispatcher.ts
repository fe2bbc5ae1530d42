import { Agent, ProxyAgent, Socks5ProxyAgent, type Dispatcher } from 'undici';
import { assertPublicHost, guardedConnect, guardedLookup, type GuardOptions } from '../../../kit/guarded-connect.js';
import type { PhoneExit } from '../../driver.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes the HTTP dispatcher of an exit. Without a proxy, the target's addresses are checked when connecting; through a proxy the
 * proxy's are, since names of targets are resolved at its end.
 */
export function exitDispatcher(exit: PhoneExit, guard: GuardOptions): Dispatcher {
  const connect = guardedConnect({ ...guard, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  if (exit.proxy === undefined) return new Agent({ connect });
  const proxy = new URL(exit.proxy);
  assertPublicHost(proxy.hostname, guard);
  switch (proxy.protocol) {
    case 'http:':
    case 'https:':
      return new ProxyAgent({
        uri: exit.proxy,
        // Plain http goes as an absolute URL: common proxies allow CONNECT to port 443 only.
        proxyTunnel: false,
        proxyTls: { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(guard) },
      });
    case 'socks5:':
    case 'socks5h:':
      return new Socks5ProxyAgent(exit.proxy.replace(/^socks5h:/, 'socks5:'), { connect });
    default:
      throw new Error(`a proxy of kind ${proxy.protocol} is not supported`);
  }
}
