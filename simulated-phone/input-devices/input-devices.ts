import { EvKey, EvType } from '../../phone/evdev/codes.js';
import type { Screen } from '../system/system.js';
import { InputDevice } from './input-device.js';
import { touchPanel } from './touch-panel.js';

export const INPUT_DEVICE_PATHS = { buttons: '/dev/input/event0', touchPanel: '/dev/input/event1' } as const;

/** Opens the input devices of one phone. `screen` throws NotBooted until there is a screen. */
export function openInputDevices(screen: () => Screen): ReadonlyMap<string, InputDevice> {
  const devices = [buttons(INPUT_DEVICE_PATHS.buttons, screen), touchPanel(INPUT_DEVICE_PATHS.touchPanel, screen)];
  return new Map(devices.map((device) => [device.facts.path, device]));
}

/** Android's key codes of the buttons on the phone's edge. */
const ANDROID_CODES: ReadonlyMap<number, number> = new Map([
  [EvKey.KEY_VOLUMEUP, 24],
  [EvKey.KEY_VOLUMEDOWN, 25],
  [EvKey.KEY_POWER, 26],
]);

/** Returns the device of the buttons for power and volume. */
function buttons(path: string, screen: () => Screen): InputDevice {
  const facts = { path, name: 'gpio-keys', keys: [...ANDROID_CODES.keys()], axes: new Map(), direct: false };
  return new InputDevice(facts, ({ type, code, value }) => {
    const androidCode = type === EvType.KEY ? ANDROID_CODES.get(code) : undefined;
    // A key that repeats has the value 2.
    if (androidCode === undefined || value > 1) return;
    screen().key({ code: androidCode, phase: value === 0 ? 'up' : 'down' });
  });
}
