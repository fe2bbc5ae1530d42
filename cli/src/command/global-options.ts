import type { Option } from './command.js';

/** Options that every command has. */
export const GLOBAL_OPTIONS: Readonly<Record<string, Option>> = {
  json: { about: "Print the API's own objects as JSON; errors too" },
  service: { value: 'NAME', about: 'Use this service of those that you have logged in to, not the last one' },
  help: { short: 'h', about: 'Print this' },
};
