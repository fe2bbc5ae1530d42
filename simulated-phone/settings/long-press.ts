import type { Settings } from '../system.js';

/** Android's, where the setting is not there. */
const DEFAULT_MS = 500;
const MOST_MS = 60_000;

/** How long a finger rests until it is a long press, ms: `settings put secure long_press_timeout`. */
export function longPressMs(settings: Pick<Settings, 'get'>): number {
  const ms = Number(settings.get('secure', 'long_press_timeout') ?? NaN);
  return ms > 0 && ms <= MOST_MS ? ms : DEFAULT_MS;
}
