import type { LogLevel, LogOptions } from '../log.js';
import type { Settings } from './settings.js';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const satisfies LogLevel[];

/** How a process logs: LOG_LEVEL, and for a person when standard error is a terminal. */
export function logSettings(settings: Settings, isTerminal: boolean, fallback: LogLevel = 'info'): LogOptions {
  return { level: settings.choice('LOG_LEVEL', levels, fallback), pretty: isTerminal };
}

/** The URL of another service. */
export function serviceUrl(settings: Settings, name: string, fallback: string): string {
  const url = settings.text(name, fallback);
  const usable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  settings.require(usable, `${name}="${url}" is not a URL such as ${fallback}`);
  return url;
}
