import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { Terminal } from '../output/terminal.js';
import type { Difference } from './difference.js';
import type { PlayedStep } from './played.js';

/** Largest recorded picture that is copied, bytes. Pictures of a timeline have some 20 KB. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/**
 * Saves both pictures of a step that failed, the recorded one and that of the screen now. Returns the paths. A picture that cannot be had is
 * reported, and the other one is saved.
 */
export async function savePictures(
  { number, step }: PlayedStep,
  { picture: now }: Difference,
  { file, folder, terminal }: { file: string; folder: string; terminal: Terminal },
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const name = `step-${String(number).padStart(3, '0')}`;
  const saved: string[] = [];
  const { picture } = step;
  if (picture !== undefined) {
    const source = join(file === '-' ? '.' : dirname(file), picture);
    const target = join(folder, `${name}-recorded${extname(picture)}`);
    try {
      await writeFile(target, await readPicture(source));
      saved.push(target);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.note(`cloudphone: the recorded picture ${source} could not be saved: ${reason}`);
    }
  }
  if (now !== undefined) {
    const target = join(folder, `${name}-now.png`);
    await writeFile(target, now);
    saved.push(target);
  }
  return saved;
}

/** Reads a picture. A file that is no picture by its first bytes is refused, as a replay file of a stranger could name any file. */
async function readPicture(source: string): Promise<Buffer> {
  const handle = await open(source);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_PICTURE_BYTES + 1), 0, MAX_PICTURE_BYTES + 1, 0);
    if (bytesRead > MAX_PICTURE_BYTES) throw new Error(`it is larger than ${MAX_PICTURE_BYTES} bytes`);
    const content = buffer.subarray(0, bytesRead);
    if (!isPicture(content)) throw new Error('it is neither WebP, PNG nor JPEG');
    return content;
  } finally {
    await handle.close();
  }
}

function isPicture(content: Buffer): boolean {
  const head = content.toString('latin1', 0, 12);
  return (
    (head.startsWith('RIFF') && head.endsWith('WEBP')) || head.startsWith('\x89PNG') || head.startsWith('\xff\xd8\xff')
  );
}
