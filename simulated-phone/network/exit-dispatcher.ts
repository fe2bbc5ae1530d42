import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { assertPublicHost, guardedConnect, guardedLookup, type GuardOptions } from '../../kit/net/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Returns a dispatcher that sends requests out by an exit. If the exit has a forwarder, all requests go through it. Otherwise they go
 * straight out, and each target is checked when it is connected to. `proxy`: `host:port` of an HTTP proxy in place of going straight out.
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
    // Plain http goes as an absolute URL, as the forwarder may have to send it on in this form.
    proxyTunnel: false,
    proxyTls: { timeout: CONNECT_TIMEOUT_MS, socketPath: forwarder } as NonNullable<ProxyAgent.Options['proxyTls']>,
  });
}

/** Returns the dispatcher for a proxy. The proxy is a target itself, so it is checked when connecting, as others are. */
function proxyDispatcher(proxy: string, guard: GuardOptions): Dispatcher {
  const uri = `http://${proxy}`;
  assertPublicHost(new URL(uri).hostname, guard);
  const proxyTls = { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(guard) };
  return new ProxyAgent({ uri, proxyTunnel: false, proxyTls: proxyTls as NonNullable<ProxyAgent.Options['proxyTls']> });
}
