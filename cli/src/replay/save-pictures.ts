import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileFault } from '../output/file-failure.js';
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
  const name = `step-${String(number).padStart(3, '0')}`;
  const saved: string[] = [];
  const save = async (what: string, target: string, read: () => Promise<Buffer> | Buffer): Promise<void> => {
    try {
      const content = await read();
      await mkdir(folder, { recursive: true });
      await writeFile(target, content);
      saved.push(target);
    } catch (error) {
      terminal.note(`cloudphone: ${what} could not be saved as ${target}: ${fileFault(error)}`);
    }
  };
  const { picture } = step;
  if (picture !== undefined) {
    const source = join(file === '-' ? '.' : dirname(file), picture);
    const target = join(folder, `${name}-recorded${extname(picture)}`);
    await save(`the recorded picture ${source}`, target, () => readPicture(source));
  }
  if (now !== undefined) await save('the picture of the screen now', join(folder, `${name}-now.png`), () => now);
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
