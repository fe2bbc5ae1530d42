import { EvAbs, EvKey, EvType, NO_FINGER, SYN_REPORT } from '../../phone/evdev/codes.js';
import type { EvdevEvent } from '../../phone/evdev/input-event.js';
import type { Screen } from '../system/system.js';
import { InputDevice, type InputDeviceFacts } from './input-device.js';

const SLOTS = 10;

/** The largest value of an axis. As on the Android emulator, it does not depend on the number of the display's pixels. */
const RANGE = 32_767;

const FACTS: Omit<InputDeviceFacts, 'path'> = {
  name: 'virtio_input_multi_touch_1',
  keys: [EvKey.BTN_TOUCH],
  axes: new Map([
    [EvAbs.ABS_MT_SLOT, { min: 0, max: SLOTS - 1 }],
    [EvAbs.ABS_MT_TOUCH_MAJOR, { min: 0, max: 0x7fff_ffff }],
    [EvAbs.ABS_MT_POSITION_X, { min: 0, max: RANGE }],
    [EvAbs.ABS_MT_POSITION_Y, { min: 0, max: RANGE }],
    [EvAbs.ABS_MT_TRACKING_ID, { min: 0, max: 65_535 }],
    [EvAbs.ABS_MT_PRESSURE, { min: 0, max: 1024 }],
  ]),
  direct: true,
};

interface Slot {
  tracking: number;
  x: number;
  y: number;
  pressure: number;
}

/** Returns the touch screen, a device of multitouch protocol B. At each report, changes of its slots become touches of the display. */
export function touchPanel(path: string, screen: () => Screen): InputDevice {
  const slots: Slot[] = Array.from({ length: SLOTS }, () => ({ tracking: NO_FINGER, x: 0, y: 0, pressure: 0 }));
  /** The slots as they were at the last report. */
  let reported = slots.map((slot) => ({ ...slot }));
  let current = 0;
  let isTouched = false;
  const shown = ({ tracking, pressure }: Slot): boolean => isTouched && tracking !== NO_FINGER && pressure > 0;
  let wasTouched = false;
  const wasShown = ({ tracking, pressure }: Slot): boolean => wasTouched && tracking !== NO_FINGER && pressure > 0;

  const report = (): void => {
    const display = screen();
    slots.forEach((slot, pointer) => {
      const before = reported[pointer] ?? slot;
      const place = onDisplay(slot, display);
      const [was, is] = [wasShown(before), shown(slot)];
      const isAnother = was && is && before.tracking !== slot.tracking;
      if (was && (!is || isAnother)) display.touch({ phase: 'up', ...onDisplay(before, display), pointer });
      if (is && (!was || isAnother)) display.touch({ phase: 'down', ...place, pointer });
      else if (is && (before.x !== slot.x || before.y !== slot.y)) display.touch({ phase: 'move', ...place, pointer });
    });
    reported = slots.map((slot) => ({ ...slot }));
    wasTouched = isTouched;
  };

  const act = ({ type, code, value }: EvdevEvent): void => {
    if (type === EvType.SYN && code === SYN_REPORT) report();
    if (type === EvType.KEY && code === EvKey.BTN_TOUCH) isTouched = value !== 0;
    if (type !== EvType.ABS) return;
    if (code === EvAbs.ABS_MT_SLOT) {
      if (value >= 0 && value < SLOTS) current = value;
      return;
    }
    const slot = slots[current];
    if (!slot) return;
    if (code === EvAbs.ABS_MT_TRACKING_ID) slot.tracking = value < 0 ? NO_FINGER : value;
    else if (code === EvAbs.ABS_MT_POSITION_X) slot.x = value;
    else if (code === EvAbs.ABS_MT_POSITION_Y) slot.y = value;
    else if (code === EvAbs.ABS_MT_PRESSURE) slot.pressure = value;
  };
  return new InputDevice({ path, ...FACTS }, act);
}

/** Converts a slot's place on the panel to a place on the turned display, as the panel does not turn with the picture. */
function onDisplay({ x, y }: Slot, { width, height, rotation }: Screen): { x: number; y: number } {
  const isTurned = rotation % 2 === 1;
  const [across, down] = isTurned ? [height, width] : [width, height];
  const upright = { x: (x * across) / (RANGE + 1), y: (y * down) / (RANGE + 1) };
  switch (rotation) {
    case 0:
      return upright;
    case 1:
      return { x: upright.y, y: across - upright.x };
    case 2:
      return { x: across - upright.x, y: down - upright.y };
    case 3:
      return { x: down - upright.y, y: upright.x };
  }
}
