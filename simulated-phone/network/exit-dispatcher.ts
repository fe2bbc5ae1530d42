import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { assertPublicHost, guardedConnect, guardedLookup, type GuardOptions } from '../../kit/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Sends requests out by an exit: its forwarder and nothing past it, or straight out, where targets are checked when connecting.
 * `proxy`: `host:port` of an HTTP proxy to send them to, straight out.
 */
export function exitDispatcher({ forwarder }: PhoneExit, guard: GuardOptions, proxy?: string): Dispatcher {
  if (proxy !== undefined) {
    if (forwarder !== undefined) throw new Error('the exit of this phone leads to no other proxy');
    return proxyDispatcher(proxy, guard);
  }
  if (forwarder === undefined) {
    return new Agent({ connect: guardedConnect({ ...guard, connectTimeoutMs: CONNECT_TIMEOUT_MS }) });
  }
  return new ProxyAgent({
    uri: 'http://forwarder',
    // Plain http goes as an absolute URL, as the forwarder may have to send it on so.
    proxyTunnel: false,
    proxyTls: { timeout: CONNECT_TIMEOUT_MS, socketPath: forwarder } as NonNullable<ProxyAgent.Options['proxyTls']>,
  });
}

/** The proxy is a target itself: it is checked as others are, when connecting. */
function proxyDispatcher(proxy: string, guard: GuardOptions): Dispatcher {
  const uri = `http://${proxy}`;
  assertPublicHost(new URL(uri).hostname, guard);
  const proxyTls = { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(guard) };
  return new ProxyAgent({ uri, proxyTunnel: false, proxyTls: proxyTls as NonNullable<ProxyAgent.Options['proxyTls']> });
}
