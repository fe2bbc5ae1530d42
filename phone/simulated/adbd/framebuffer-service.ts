import { layout, u32 } from '../../adb/layout.js';
import { sdkOf } from '../android-version.js';
import { captureFrame } from '../capture/capture-frame.js';
import type { Machine } from '../machine.js';
import type { Frame } from '../system.js';
import type { AdbStream } from '../../adb/device/adb-stream.js';

/** `framebuffer:` before Android 9: version 1. Offsets and lengths are in bits of one pixel. */
const pixelFields = {
  sizeBytes: u32,
  width: u32,
  height: u32,
  redOffset: u32,
  redLength: u32,
  blueOffset: u32,
  blueLength: u32,
  greenOffset: u32,
  greenLength: u32,
  alphaOffset: u32,
  alphaLength: u32,
};

const framebufferV1 = layout<Record<'version' | 'bitsPerPixel' | keyof typeof pixelFields, number>>({
  version: u32,
  bitsPerPixel: u32,
  ...pixelFields,
});

/** Since Android 9: with the colour space. */
const framebufferV2 = layout<Record<'version' | 'bitsPerPixel' | 'colorSpace' | keyof typeof pixelFields, number>>({
  version: u32,
  bitsPerPixel: u32,
  colorSpace: u32,
  ...pixelFields,
});

/** One frame, then the stream ends. */
export async function serveFramebuffer(stream: AdbStream, machine: Machine): Promise<void> {
  try {
    await captureFrame(machine, stream.closed, (frame) => sendFrame(stream, machine, frame));
  } catch (error) {
    // Too many at once: the stream ends without a frame.
    if (!(error instanceof RangeError)) throw error;
  }
}

async function sendFrame(stream: AdbStream, machine: Machine, frame: Frame): Promise<void> {
  const fields = {
    bitsPerPixel: 32,
    sizeBytes: frame.data.length,
    width: frame.width,
    height: frame.height,
    redOffset: 0,
    redLength: 8,
    greenOffset: 8,
    greenLength: 8,
    blueOffset: 16,
    blueLength: 8,
    alphaOffset: 24,
    alphaLength: 8,
  };
  const header =
    sdkOf(machine.identity.android) >= FIRST_SDK_WITH_COLOR_SPACE
      ? framebufferV2.write({ version: 2, colorSpace: SRGB, ...fields })
      : framebufferV1.write({ version: 1, ...fields });
  await stream.writeParts([header, frame.data]);
}

const FIRST_SDK_WITH_COLOR_SPACE = 28;
const SRGB = 1;
