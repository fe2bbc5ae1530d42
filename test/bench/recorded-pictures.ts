import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import sharp from 'sharp';

const run = promisify(execFile);

/** Pictures are compared at this width, at which the codec's noise is small and another screen is not. */
const WIDTH = 180;

/** Returns the first or last picture of a video, as PNG. */
export async function pictureOf(video: string, which: 'first' | 'last'): Promise<Buffer> {
  // The last picture of a still screen can be long: its file is decoded to the end, and each picture replaces the one before.
  const words =
    which === 'first'
      ? ['-frames:v', '1', '-f', 'image2pipe', '-c:v', 'png', '-']
      : ['-f', 'image2', '-update', '1', '-y', `${video}.png`];
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const;
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', video, '-fps_mode', 'passthrough', ...words], options);
  return which === 'first' ? stdout : sharp(`${video}.png`).png().toBuffer();
}

/** Returns how far two pictures are from each other: the mean over all pixels and colours, of 255. */
export async function distance(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((picture) => sharp(picture).removeAlpha().resize(WIDTH).raw().toBuffer()),
  );
  if (a!.length !== b!.length) return 255;
  return a!.reduce((sum, value, at) => sum + Math.abs(value - b![at]!), 0) / a!.length;
}
