import { EvKey, EvType } from '../../phone/evdev/codes.js';
import type { Screen } from '../system.js';
import { InputDevice } from './input-device.js';

/** Android's key codes of the buttons on the phone's edge. */
const ANDROID_CODES: ReadonlyMap<number, number> = new Map([
  [EvKey.KEY_VOLUMEUP, 24],
  [EvKey.KEY_VOLUMEDOWN, 25],
  [EvKey.KEY_POWER, 26],
]);

/** Power and volume. */
export function buttons(path: string, screen: () => Screen): InputDevice {
  const facts = { path, name: 'gpio-keys', keys: [...ANDROID_CODES.keys()], axes: new Map(), direct: false };
  return new InputDevice(facts, ({ type, code, value }) => {
    const androidCode = type === EvType.KEY ? ANDROID_CODES.get(code) : undefined;
    // 2 is a key that repeats.
    if (androidCode === undefined || value > 1) return;
    screen().key({ code: androidCode, phase: value === 0 ? 'up' : 'down' });
  });
}
