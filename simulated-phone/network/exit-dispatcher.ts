import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { guardedConnect, type GuardOptions } from '../../kit/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Sends requests out by an exit: its forwarder and nothing past it, or straight out, where targets are checked when connecting. */
export function exitDispatcher({ forwarder }: PhoneExit, guard: GuardOptions): Dispatcher {
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
