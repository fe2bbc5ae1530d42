import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fileFailure } from '../output/file-failure.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { ReplayStep } from '../../../replay/format/replay.js';
import { replayText } from '../../../replay/format/replay-text.js';
import type { Recorded } from '../../../replay/timeline/to-replay.js';

/** What was written beside a replay. */
export interface SavedPictures {
  pictures: number;
  /** Why the rest of the pictures was left out. Undefined: nothing failed. */
  fault: string | undefined;
}

/**
 * Writes a replay, and the pictures of its steps into a folder beside it. A picture that has gone meanwhile is left out, as timelines have
 * bounds. The first other fault of a picture leaves out the rest, but not the replay, which runs without pictures.
 */
export async function saveReplay(
  phone: CloudPhone,
  { replay, pictured }: Recorded,
  { file, comment, signal }: { file: string; comment: string; signal: AbortSignal },
): Promise<SavedPictures> {
  const folder = `${basename(file, extname(file))}.pictures`;
  const target = join(dirname(file), folder);
  const steps: ReplayStep[] = [...replay.steps];
  const saved: SavedPictures = { pictures: 0, fault: undefined };
  try {
    for (const [at, { after }] of pictured) {
      const step = steps[at];
      const picture = after === undefined ? undefined : await pictureOf(phone, after, signal);
      if (picture === undefined || step === undefined) continue;
      if (saved.pictures === 0) await mkdir(target, { recursive: true });
      const name = `${String(at + 1).padStart(3, '0')}.webp`;
      await writeFile(join(target, name), picture);
      steps[at] = { ...step, picture: `${folder}/${name}` };
      saved.pictures++;
    }
  } catch (error) {
    saved.fault = error instanceof Error ? error.message : String(error);
  }
  await writeFile(file, replayText({ ...replay, steps }, comment)).catch((error: unknown) => {
    throw fileFailure(file, error);
  });
  return saved;
}

async function pictureOf(phone: CloudPhone, path: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    const response = await phone.request('GET', path, { signal });
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof CloudPhoneError && error.kind === 'not_found') return undefined;
    throw error;
  }
}
