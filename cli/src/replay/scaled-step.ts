import type { RecordedDevice, ReplayStep } from '../../../replay/format/replay.js';

export interface ScreenSize {
  width: number;
  height: number;
}

/**
 * Returns a step with its points on the screen of this phone: at the same shares of width and height as on that of the recording. `screen`
 * is the screen as it is turned now; the recording's is turned in the same way.
 */
export function scaledStep(step: ReplayStep, recorded: RecordedDevice | undefined, screen: ScreenSize): ReplayStep {
  const { width, height } = recorded ?? {};
  if (width === undefined || height === undefined) return step;
  const isTurned = width > height !== screen.width > screen.height;
  const [fromWidth, fromHeight] = isTurned ? [height, width] : [width, height];
  const across = (x: number): number => within(Math.round((x * screen.width) / fromWidth), screen.width);
  const down = (y: number): number => within(Math.round((y * screen.height) / fromHeight), screen.height);
  const scale = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(scale);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (typeof inner === 'number' && name === 'x') return [name, across(inner)];
        if (typeof inner === 'number' && name === 'y') return [name, down(inner)];
        return [name, scale(inner)];
      }),
    );
  };
  return scale(step) as ReplayStep;
}

/** Whether a step has points. */
export function hasPoints(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return 'x' in value || Object.values(value).some(hasPoints);
}

function within(pixel: number, size: number): number {
  return Math.max(0, Math.min(size - 1, pixel));
}
