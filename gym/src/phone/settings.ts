import type { GymPhone } from './gym-phone.js';
import { firstLack } from './same.js';

/** The settings that pages of the phone change, and their values in the template. */
const BASE = {
  'global airplane_mode_on': 0,
  'global wifi_on': 1,
  'global auto_time_zone': 1,
  'global window_animation_scale': 0,
  'global transition_animation_scale': 0,
  'global animator_duration_scale': 0,
  'system accelerometer_rotation': 1,
  'system font_scale': 1,
  'system screen_brightness': 102,
  'system user_rotation': 0,
} as const;

/** Settings by their namespace and key. */
export type SettingValues = Partial<Record<keyof typeof BASE, number>>;

/** Returns the first setting that differs from its value in the template, or from the one wanted in its place. Undefined: none does. */
export async function settingsLack(phone: GymPhone, wanted: SettingValues): Promise<string | undefined> {
  const lacks = await Promise.all(
    Object.entries({ ...BASE, ...wanted }).map(async ([name, value]) => {
      const found = (await phone.run(`settings get ${name}`)).trim();
      return Number.parseFloat(found) === value ? undefined : `${name} is ${found}, not ${value}`;
    }),
  );
  return firstLack(...lacks);
}
