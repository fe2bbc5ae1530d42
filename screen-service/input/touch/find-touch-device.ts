import { EvAbs } from '../../../phone/evdev/codes.js';

/** A touch screen among a phone's input devices, with the ranges of its axes. */
export interface TouchDevice {
  path: string;
  axes: ReadonlyMap<number, AxisRange>;
  /** Whether the device reports BTN_TOUCH. On such a device, fingers count only while BTN_TOUCH is down. */
  hasTouchButton: boolean;
}

export interface AxisRange {
  min: number;
  max: number;
}

const NEEDED = [EvAbs.ABS_MT_SLOT, EvAbs.ABS_MT_TRACKING_ID, EvAbs.ABS_MT_POSITION_X, EvAbs.ABS_MT_POSITION_Y];

const codesByName: ReadonlyMap<string, number> = new Map(Object.entries(EvAbs));

/**
 * Finds the touch screen in the output of `getevent -pl`: a device of multitouch protocol B that lies on the display (INPUT_PROP_DIRECT).
 * Returns the one with the lowest number, as emulators have a device for each display that they could have. Returns undefined where there
 * is none.
 */
export function findTouchDevice(output: string): TouchDevice | undefined {
  const devices = output.split(/^add device \d+: /m).slice(1);
  const fitting = devices.flatMap((text) => {
    const path = /^\/dev\/input\/event\d+(?=\s)/.exec(text)?.[0];
    const axes = readAxes(text);
    const isScreen = /INPUT_PROP_DIRECT\b/.test(text) && NEEDED.every((code) => axes.has(code));
    return path === undefined || !isScreen ? [] : [{ path, axes, hasTouchButton: /\bBTN_TOUCH\b/.test(text) }];
  });
  return fitting.sort((one, other) => numberOf(one.path) - numberOf(other.path))[0];
}

function readAxes(text: string): Map<number, AxisRange> {
  const axes = new Map<number, AxisRange>();
  for (const [, name = '', min, max] of text.matchAll(/\b(ABS_MT_\w+)\s*: value -?\d+, min (-?\d+), max (-?\d+)/g)) {
    const code = codesByName.get(name);
    if (code !== undefined && Number(max) >= Number(min)) axes.set(code, { min: Number(min), max: Number(max) });
  }
  return axes;
}

function numberOf(path: string): number {
  return Number(/\d+$/.exec(path)?.[0]);
}
