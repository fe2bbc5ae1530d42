import type { Machine } from '../machine.js';
import type { Frame } from '../system.js';

/** What a capture of the screen gives now: after the delay that was set, and black where the window in front is secure. */
export async function captureFrame(machine: Machine, signal?: AbortSignal): Promise<Frame> {
  const { clock, faults, screen } = machine;
  if (faults.captureDelayMs > 0) await clock.sleep(faults.captureDelayMs, signal);
  if (!screen.secure) return screen.capture();
  const { width, height, revision } = screen;
  return { width, height, revision, data: blackPixels(width, height) };
}

/** RGBA, opaque. */
function blackPixels(width: number, height: number): Buffer {
  return Buffer.alloc(width * height * 4, Buffer.from([0, 0, 0, 255]));
}
