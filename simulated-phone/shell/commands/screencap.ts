import { layout, u32 } from '../../../phone/adb/layout.js';
import { captureFrame } from '../../capture/capture-frame.js';
import { encodeJpeg, encodePng } from '../../capture/encode-frame.js';
import type { Frame } from '../../system/system.js';
import { CommandFailure, pathOf, type Command, type CommandCall } from '../command.js';
import { parseOptions } from '../options.js';

/** The header in front of raw pixels. */
const screencapHeader = layout<{ width: number; height: number; format: number; colorSpace: number }>({
  width: u32,
  height: u32,
  format: u32,
  colorSpace: u32,
});

const RGBA_8888 = 1;
const SRGB = 1;

export const screencap: Command = (call) => captureFrame(call.machine, call.signal, (frame) => give(call, frame));

async function give(call: CommandCall, frame: Frame): Promise<number> {
  const { machine } = call;
  const options = parseOptions(call.args, { flags: ['p', 'j', 'h', 'a'], values: ['d'] });
  const [fileName] = options.rest;
  let image: readonly Buffer[];
  if (options.has('p') || fileName?.endsWith('.png')) image = [await encodePng(frame)];
  else if (options.has('j') || /\.jpe?g$/.test(fileName ?? '')) image = [await encodeJpeg(frame)];
  else {
    const { width, height } = frame;
    const header = screencapHeader.write({ width, height, format: RGBA_8888, colorSpace: SRGB });
    image = [header, frame.data];
  }
  image = lied(image, machine.faults.lie);
  if (fileName === undefined) {
    for (const part of image) await call.stdout.write(part);
    return 0;
  }
  try {
    const file = await machine.shellFiles.receive(pathOf(call, fileName), 0o660);
    await file.write(image);
    await file.commit();
  } catch {
    throw new CommandFailure(`Error opening file: ${fileName}`, { bare: true });
  }
  return 0;
}

/** Returns a broken picture: the right beginning, then noise and a missing end. */
function lied(image: readonly Buffer[], lie: string | undefined): readonly Buffer[] {
  if (lie !== 'broken-png') return image;
  const whole = Buffer.concat(image);
  const broken = Buffer.from(whole.subarray(0, Math.floor(whole.length / 2)));
  broken.fill(0x5a, Math.min(40, broken.length));
  return [broken];
}
