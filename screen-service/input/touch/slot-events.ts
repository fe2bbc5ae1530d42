import { EvAbs, EvKey, EvType, NO_FINGER, SYN_REPORT } from '../../../phone/evdev/codes.js';
import type { EvdevEvent } from '../../../phone/evdev/input-event.js';
import type { AxisRange, TouchDevice } from './find-touch-device.js';
import type { Touch } from '../../shapes/touch.js';

/** The display that a touch device lies on: its upright size in pixels, and how it is turned now, in quarter turns. */
export interface TurnedDisplay {
  width: number;
  height: number;
  rotation: 0 | 1 | 2 | 3;
}

/** The number of tracking ids that Linux has. After the last id, they begin again at the first. */
const TRACKING_IDS = 0x10000;

/** Puts fingers into the slots of a touch device, and turns their movements into its events. */
export class Slots {
  readonly #device: TouchDevice;
  readonly #slots = new Map<number, number>();
  #trackingId = 0;

  constructor(device: TouchDevice) {
    this.#device = device;
  }

  /** The number of fingers that the device takes at the same time. */
  get most(): number {
    const { min, max } = this.#axis(EvAbs.ABS_MT_SLOT);
    return max - min + 1;
  }

  get used(): boolean {
    return this.#slots.size > 0;
  }

  /** Lifts every finger, also those that an earlier connection left on the screen. */
  clear(): EvdevEvent[] {
    this.#slots.clear();
    const { min, max } = this.#axis(EvAbs.ABS_MT_SLOT);
    const events: EvdevEvent[] = [];
    for (let slot = min; slot <= max; slot++) {
      events.push(abs(EvAbs.ABS_MT_SLOT, slot), abs(EvAbs.ABS_MT_TRACKING_ID, NO_FINGER));
    }
    return [...events, ...this.#touchButton(0), report];
  }

  /** Returns the events of one touch. For `down`, a slot must be free; for other phases, the pointer must already have a slot. */
  of({ pointer, phase, x, y }: Touch, display: TurnedDisplay): EvdevEvent[] {
    const slot = phase === 'down' ? this.#take(pointer) : (this.#slots.get(pointer) ?? 0);
    const events = [abs(EvAbs.ABS_MT_SLOT, slot)];
    if (phase === 'down') {
      events.push(abs(EvAbs.ABS_MT_TRACKING_ID, this.#nextTrackingId()), ...this.#firmness());
      if (this.#slots.size === 1) events.push(...this.#touchButton(1));
    }
    const place = onDevice(x, y, display);
    events.push(
      abs(EvAbs.ABS_MT_POSITION_X, scaled(place.x, display.width, this.#axis(EvAbs.ABS_MT_POSITION_X))),
      abs(EvAbs.ABS_MT_POSITION_Y, scaled(place.y, display.height, this.#axis(EvAbs.ABS_MT_POSITION_Y))),
      report,
    );
    if (phase !== 'up') return events;
    this.#slots.delete(pointer);
    events.push(abs(EvAbs.ABS_MT_TRACKING_ID, NO_FINGER));
    return [...events, ...(this.used ? [] : this.#touchButton(0)), report];
  }

  #take(pointer: number): number {
    const taken = new Set(this.#slots.values());
    let slot = this.#axis(EvAbs.ABS_MT_SLOT).min;
    while (taken.has(slot)) slot++;
    this.#slots.set(pointer, slot);
    return slot;
  }

  #nextTrackingId(): number {
    const { min, max } = this.#axis(EvAbs.ABS_MT_TRACKING_ID);
    const ids = Math.min(TRACKING_IDS, max - Math.max(0, min) + 1);
    this.#trackingId = (this.#trackingId + 1) % ids;
    return Math.max(0, min) + this.#trackingId;
  }

  /**
   * Returns the events for pressure and size. Where a device has these axes, a finger without pressure hovers, and one without size does
   * not count.
   */
  #firmness(): EvdevEvent[] {
    const { axes } = this.#device;
    const events: EvdevEvent[] = [];
    const size = axes.get(EvAbs.ABS_MT_TOUCH_MAJOR);
    const pressure = axes.get(EvAbs.ABS_MT_PRESSURE);
    const across = this.#axis(EvAbs.ABS_MT_POSITION_X);
    if (axes.has(EvAbs.ABS_MT_TOOL_TYPE)) events.push(abs(EvAbs.ABS_MT_TOOL_TYPE, FINGER));
    if (size) {
      const usual = Math.ceil((across.max - across.min + 1) / FINGERS_ACROSS);
      events.push(abs(EvAbs.ABS_MT_TOUCH_MAJOR, Math.min(size.max, Math.max(1, usual))));
    }
    if (pressure) events.push(abs(EvAbs.ABS_MT_PRESSURE, Math.ceil((pressure.min + pressure.max) / 2)));
    return events;
  }

  #touchButton(value: 0 | 1): EvdevEvent[] {
    return this.#device.hasTouchButton ? [{ type: EvType.KEY, code: EvKey.BTN_TOUCH, value }] : [];
  }

  #axis(code: number): AxisRange {
    return this.#device.axes.get(code) ?? { min: 0, max: 0 };
  }
}

/** MT_TOOL_FINGER, and how many fingertips lie side by side on a screen. */
const FINGER = 0;
const FINGERS_ACROSS = 12;

const report: EvdevEvent = { type: EvType.SYN, code: SYN_REPORT, value: 0 };

function abs(code: number, value: number): EvdevEvent {
  return { type: EvType.ABS, code, value };
}

/** Converts a pixel of the turned picture to that of the upright display, because a touch device does not turn with the picture. */
export function onDevice(x: number, y: number, { width, height, rotation }: TurnedDisplay): { x: number; y: number } {
  switch (rotation) {
    case 0:
      return { x, y };
    case 1:
      return { x: width - 1 - y, y: x };
    case 2:
      return { x: width - 1 - x, y: height - 1 - y };
    case 3:
      return { x: y, y: height - 1 - x };
  }
}

/** Returns the middle of a pixel on an axis. */
function scaled(pixel: number, pixels: number, { min, max }: AxisRange): number {
  const at = min + Math.floor(((pixel + 0.5) * (max - min + 1)) / pixels);
  return Math.max(min, Math.min(max, at));
}
