import { ACCOUNTS } from './accounts.js';
import { ADDRESSES } from './addresses.js';
import { DATA } from './data.js';
import { PHONES } from './phones.js';
import { PROCESS } from './process.js';
import { SERVICES } from './services.js';
import type { SettingGroup } from './setting.js';
import { SIMULATED } from './simulated.js';

const GROUPS = [ADDRESSES, DATA, ACCOUNTS, PHONES, SIMULATED, SERVICES, PROCESS] as const;

/** All settings of all services and of the operator's commands, in the order of docs/settings.md. */
export const SETTING_GROUPS: readonly SettingGroup[] = GROUPS;

type Listed = (typeof GROUPS)[number]['settings'][number];

/** The name of a setting. The parser reads no other name, so every setting that is read is in this list. */
export type SettingName = Listed['name'];

/** The name of a setting that may also be in a file. */
export type SecretName = Extract<Listed, { hasFile: true }>['name'];

/** The names of all environment variables that are settings. */
export const SETTING_NAMES: readonly string[] = SETTING_GROUPS.flatMap(({ settings }) =>
  settings.flatMap(({ name, hasFile }) => (hasFile === true ? [name, `${name}_FILE`] : [name])),
);
