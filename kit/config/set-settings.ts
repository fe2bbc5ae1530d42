import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from './setting-list/setting-list.js';

/** The file in a data folder with the names of the settings that the service was last started with, one a line. */
export const SET_SETTINGS_FILE = 'set-settings';

/**
 * Writes down which settings this start has, by their names alone, as values may be secrets. After a loss of the machine, the list in a
 * backup shows what has to be set again.
 */
export function noteSetSettings(
  dataDirectory: string,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const names = SETTING_NAMES.filter((name) => (environment[name] ?? '').trim() !== '').sort();
  const path = join(dataDirectory, SET_SETTINGS_FILE);
  writeFileSync(`${path}.new`, names.map((name) => `${name}\n`).join(''), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
