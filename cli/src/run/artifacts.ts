import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Terminal } from '../output/terminal.js';
import { devicePath } from '../service/list-items.js';

/** Lines of the log that are kept: the most that one request returns. */
const LOG_LINES = 5_000;

/** The files of a phone, with the requests that fill them. */
const FILES = [
  { file: 'logcat.txt', path: `/logs?lines=${LOG_LINES}`, accept: 'text/plain' },
  { file: 'screen.png', path: '/screenshot?format=png', accept: 'image/png' },
  { file: 'tree.json', path: '/observe?screenshot=none&elements=full', accept: 'application/json' },
] as const;

/** Writes log, picture and tree of a phone into a folder. A part that cannot be had is reported, and the others are written. */
export async function saveArtifacts(
  phone: CloudPhone,
  device: string,
  folder: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const target = join(folder, device);
  await mkdir(target, { recursive: true });
  for (const { file, path, accept } of FILES) {
    try {
      const response = await phone.request('GET', devicePath(device, path), { headers: { accept }, signal });
      await writeFile(join(target, file), new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.note(`cloudphone: ${file} of ${device} could not be saved: ${reason}`);
    }
  }
  terminal.note(`cloudphone: log, picture and tree of ${device} are in ${target}`);
}
