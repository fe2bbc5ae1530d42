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
  ops: { host: string; port: number };
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
  return {
    ops: { host: settings.text('OPS_HOST', '127.0.0.1'), port: settings.port('OPS_PORT', fallback) },
    stopDelayMs: settings.integer('STOP_DELAY_MS', { min: 0, max: STOP_DELAY_MAX_MS }, 0),
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
