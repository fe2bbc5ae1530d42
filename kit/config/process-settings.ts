import { AllowedHosts } from '../net/allowed-hosts.js';
import { parseHttpUrl } from '../text/parse-url.js';
import type { LogLevel, LogOptions } from '../log/log.js';
import type { SettingName } from './setting-list/setting-list.js';
import type { Settings } from './settings.js';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const satisfies LogLevel[];

/** Returns how a process logs: from the level LOG_LEVEL on, and in a form for people when standard error is a terminal. */
export function logSettings(settings: Settings, isTerminal: boolean, fallback: LogLevel = 'info'): LogOptions {
  return { level: settings.choice('LOG_LEVEL', levels, fallback), pretty: isTerminal };
}

/** Settings for the program that runs, watches and stops a process. */
export interface OpsConfig {
  /** The address of /metrics, /livez and /readyz. Port 0 picks a free port. */
  ops: { host: string; port: number; hosts: AllowedHosts };
  /** How long the service still takes requests after a SIGTERM, ms. During this time /readyz reports that it is not ready. */
  stopDelayMs: number;
}

/** Longest delay of a stop, ms. A service needs this delay and up to 25 s more before it may be killed. */
const MAX_STOP_DELAY_MS = 120_000;

/**
 * Reads OPS_HOST, OPS_PORT and STOP_DELAY_MS. The default host is loopback, as metrics are for the operator. `fallback` is the default
 * port. It is 0 when the service's own port is 0, since then another instance may run on this machine.
 */
export function opsSettings(settings: Settings, fallback: number): OpsConfig {
  const host = settings.text('OPS_HOST', '127.0.0.1');
  const { hosts } = frontSettings(settings, [host]);
  return {
    ops: { host, port: settings.port('OPS_PORT', fallback), hosts },
    stopDelayMs: settings.integer('STOP_DELAY_MS', { min: 0, max: MAX_STOP_DELAY_MS }, 0),
  };
}

/** How clients reach the HTTP ports of a process. */
export interface FrontConfig {
  /** The URL at which customers reach the edge. Absent: the address on which the edge listens. */
  publicUrl: URL | undefined;
  /** Whether a proxy is in front, which adds the client's address to X-Forwarded-For. */
  behindProxy: boolean;
  /** The hosts that requests may name. */
  hosts: AllowedHosts;
}

/**
 * Reads PUBLIC_URL, BEHIND_PROXY and ALLOWED_HOSTS. The allowed hosts are the host of PUBLIC_URL, those in `listening`, and those in
 * ALLOWED_HOSTS. `listening` has the host names and addresses on which the process listens.
 */
export function frontSettings(settings: Settings, listening: readonly string[]): FrontConfig {
  const url = settings.optionalText('PUBLIC_URL');
  const publicUrl = url === undefined ? undefined : parseHttpUrl(url);
  settings.require(
    url === undefined || publicUrl !== undefined,
    `PUBLIC_URL="${url ?? ''}" is not a URL such as https://phones.example.com`,
  );
  const names = settings.text('ALLOWED_HOSTS', '').split(/[\s,]+/);
  const others = names.filter((name) => name !== '');
  for (const name of others) {
    settings.require(
      /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(name),
      `ALLOWED_HOSTS: "${name}" is not a host name such as phones.internal, without scheme and port`,
    );
  }
  const publicName = publicUrl === undefined ? [] : [publicUrl.hostname];
  return {
    publicUrl,
    behindProxy: settings.flag('BEHIND_PROXY', false),
    hosts: new AllowedHosts([...listening, ...publicName, ...others]),
  };
}

/** Returns the URL of a service that may be absent. Undefined: the setting is not set. `example` is for the error text. */
export function optionalServiceUrl(settings: Settings, name: SettingName, example: string): string | undefined {
  return settings.optionalText(name) === undefined ? undefined : serviceUrl(settings, name, example);
}

/** Returns the URL of another service. `fallback` is the default, and the example in the error text. */
export function serviceUrl(settings: Settings, name: SettingName, fallback: string): string {
  const url = settings.text(name, fallback);
  settings.require(parseHttpUrl(url) !== undefined, `${name}="${url}" is not a URL such as ${fallback}`);
  return url;
}
