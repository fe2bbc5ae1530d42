import type { Screen } from '../system.js';
import { buttons } from './buttons.js';
import type { InputDevice } from './input-device.js';
import { touchPanel } from './touch-panel.js';

export const INPUT_DEVICE_PATHS = { buttons: '/dev/input/event0', touchPanel: '/dev/input/event1' } as const;

/** The input devices of one phone. `screen` throws NotBooted until there is one. */
export function openInputDevices(screen: () => Screen): ReadonlyMap<string, InputDevice> {
  const devices = [buttons(INPUT_DEVICE_PATHS.buttons, screen), touchPanel(INPUT_DEVICE_PATHS.touchPanel, screen)];
  return new Map(devices.map((device) => [device.facts.path, device]));
}
