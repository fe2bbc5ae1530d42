import { AllowedHosts } from '../allowed-hosts.js';
import { parseHttpUrl } from '../parse-url.js';
import type { LogLevel, LogOptions } from '../log.js';
import type { Settings } from './settings.js';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const satisfies LogLevel[];

/** How a process logs: LOG_LEVEL, and for a person when standard error is a terminal. */
export function logSettings(settings: Settings, isTerminal: boolean, fallback: LogLevel = 'info'): LogOptions {
  return { level: settings.choice('LOG_LEVEL', levels, fallback), pretty: isTerminal };
}

/** Settings for the program that runs, watches and stops a process. */
export interface OpsConfig {
  /** Where /metrics, /livez and /readyz are; port 0 picks a free one. */
  ops: { host: string; port: number; hosts: AllowedHosts };
  /** How long the service goes on taking requests after a SIGTERM, no longer being ready, ms. */
  stopDelayMs: number;
}

/** Longest delay of a stop, ms. The program that runs a service waits for this long and for 25 s more before it kills it. */
const STOP_DELAY_MAX_MS = 120_000;

/**
 * OPS_HOST, OPS_PORT and STOP_DELAY_MS. On loopback by default: metrics are for the operator. `fallback` is the port, and
 * 0 where the service's own port is picked free: then it runs beside another one.
 */
export function opsSettings(settings: Settings, fallback: number): OpsConfig {
  const host = settings.text('OPS_HOST', '127.0.0.1');
  const { hosts } = frontSettings(settings, [host]);
  return {
    ops: { host, port: settings.port('OPS_PORT', fallback), hosts },
    stopDelayMs: settings.integer('STOP_DELAY_MS', { min: 0, max: STOP_DELAY_MAX_MS }, 0),
  };
}

/** How clients reach the HTTP ports of a process. */
export interface FrontConfig {
  /** Where customers reach the edge. Absent: where it listens. */
  publicUrl: URL | undefined;
  /** Whether a proxy is in front, which adds the client's address to X-Forwarded-For. */
  behindProxy: boolean;
  /** The hosts that requests may name. */
  hosts: AllowedHosts;
}

/**
 * PUBLIC_URL, BEHIND_PROXY and ALLOWED_HOSTS. Requests may name the host of PUBLIC_URL, those of `listening`, which are settings or
 * addresses to listen on, and those of ALLOWED_HOSTS.
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

/** The URL of a service that need not be there. `example` is for the fault's text. */
export function optionalServiceUrl(settings: Settings, name: string, example: string): string | undefined {
  return settings.optionalText(name) === undefined ? undefined : serviceUrl(settings, name, example);
}

/** The URL of another service. */
export function serviceUrl(settings: Settings, name: string, fallback: string): string {
  const url = settings.text(name, fallback);
  settings.require(parseHttpUrl(url) !== undefined, `${name}="${url}" is not a URL such as ${fallback}`);
  return url;
}
