import type { Machine } from '../machine/machine.js';
import type { Frame } from '../system/system.js';

/**
 * Passes a capture of the screen to `use`, after the delay that `faults` has. The capture is black while the screen shows a secure window.
 * Throws RangeError when the phone holds too many frames.
 */
export async function captureFrame<T>(
  machine: Machine,
  signal: AbortSignal,
  use: (frame: Frame) => Promise<T>,
): Promise<T> {
  const { clock, faults, screen } = machine;
  if (faults.captureDelayMs > 0) await clock.sleep(faults.captureDelayMs, signal);
  const { width, height, revision } = screen;
  return machine.frames.hold(width * height * 4, () =>
    use(screen.secure ? { width, height, revision, data: blackPixels(width, height) } : screen.capture()),
  );
}

/** Returns opaque black pixels, RGBA. */
function blackPixels(width: number, height: number): Buffer {
  return Buffer.alloc(width * height * 4, Buffer.from([0, 0, 0, 255]));
}
