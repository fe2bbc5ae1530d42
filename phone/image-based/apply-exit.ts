import type { PhoneLink } from '../link/phone-link.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { shellQuote } from '../link/shell-quote.js';
import type { PhoneProxy } from './engine.js';

const COMMAND = { timeoutMs: 15_000, maxBytes: 4_096, doing: 'take its way out' };

/**
 * Sets the proxy for all apps that obey the system's settings, and the time zone of the exit. Other apps reach nothing, as the only route
 * leads to the proxy. Throws where the phone did not take the proxy or the time zone.
 */
export async function applyExit(
  link: PhoneLink,
  { proxy, timezone, signal }: { proxy: PhoneProxy; timezone: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const address = `${proxy.host}:${proxy.port}`;
  const script = [
    `settings put global http_proxy ${shellQuote(address)}`,
    `cmd alarm set-timezone ${shellQuote(timezone)} >/dev/null`,
    'settings get global http_proxy',
    'getprop persist.sys.timezone',
  ].join('; ');
  const { stdout } = await link.shell(script, { ...COMMAND, signal });
  const [setProxy, setTimezone] = stdout.toString('utf8').trim().split(/\r?\n/).slice(-2);
  if (setProxy !== address) throw phoneUnavailable('The phone did not take the proxy of its exit.');
  if (setTimezone !== timezone) throw phoneUnavailable('The phone did not take the time zone of its exit.');
}
