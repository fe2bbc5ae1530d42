import type { Settings } from '../system/system.js';

/** The time that Android uses when the setting is missing, ms. */
const DEFAULT_MS = 500;
const MAX_LONG_PRESS_MS = 60_000;

/** Returns how long a finger must rest for a long press, ms. `settings put secure long_press_timeout` sets this time. */
export function longPressMs(settings: Pick<Settings, 'get'>): number {
  const ms = Number(settings.get('secure', 'long_press_timeout') ?? NaN);
  return ms > 0 && ms <= MAX_LONG_PRESS_MS ? ms : DEFAULT_MS;
}
