import { layout, u32 } from '../../phone/adb/layout.js';
import { captureFrame } from '../capture/capture-frame.js';
import type { Machine } from '../machine/machine.js';
import type { Frame } from '../system/system.js';
import type { AdbStream } from '../../phone/adb/device/adb-stream.js';

const FIELDS = [
  'version', 'bitsPerPixel', 'colorSpace', 'sizeBytes', 'width', 'height', 'redOffset', 'redLength', 'blueOffset', 'blueLength',
  'greenOffset', 'greenLength', 'alphaOffset', 'alphaLength',
] as const; // prettier-ignore

/** The header of version 2, since Android 9. Offsets and lengths are in bits of one pixel. */
const framebufferHeader = layout<Record<(typeof FIELDS)[number], number>>(
  Object.fromEntries(FIELDS.map((name) => [name, u32])) as Record<(typeof FIELDS)[number], typeof u32>,
);

/** Sends one frame and ends the stream. */
export async function serveFramebuffer(stream: AdbStream, machine: Machine): Promise<void> {
  try {
    await captureFrame(machine, stream.closed, (frame) => sendFrame(stream, frame));
  } catch (error) {
    // There are too many frames at the same time: the stream ends without one.
    if (!(error instanceof RangeError)) throw error;
  }
}

async function sendFrame(stream: AdbStream, frame: Frame): Promise<void> {
  const { width, height, data } = frame;
  const header = framebufferHeader.write({
    version: 2,
    bitsPerPixel: 32,
    colorSpace: SRGB,
    sizeBytes: data.length,
    width,
    height,
    ...{ redOffset: 0, redLength: 8, blueOffset: 16, blueLength: 8, greenOffset: 8, greenLength: 8 },
    ...{ alphaOffset: 24, alphaLength: 8 },
  });
  await stream.writeParts([header, data]);
}

const SRGB = 1;
