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

/** Folder with the traces of crashes, and the list of them. */
const TRACES = 'crashes';
const CRASHES = 'crashes.json';

/** Writes log, picture, tree and crashes of a phone into a folder. A part that cannot be had is reported, and the others are written. */
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
      terminal.note(`cloudphone: ${file} of ${device} could not be saved: ${reasonOf(error)}`);
    }
  }
  await saveCrashes(phone, device, target, terminal, signal);
  terminal.note(`cloudphone: log, picture and tree of ${device} are in ${target}`);
}

/** Writes the list of the phone's crashes, and the trace of each as a file of its own. Without a crash, only the list is written. */
async function saveCrashes(
  phone: CloudPhone,
  device: string,
  target: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { crashes } = await phone.get('/v1/devices/{name}/crashes', { params: { path: { name: device } }, signal });
    await writeFile(join(target, CRASHES), `${JSON.stringify({ crashes }, undefined, 2)}\n`);
    if (crashes.length === 0) return;
    await mkdir(join(target, TRACES), { recursive: true });
    for (const { id, trace } of crashes) {
      // The id is of the service; it is checked all the same, as it becomes the name of a file.
      if (!/^\w+$/.test(id)) throw new Error(`the crash has the id ${JSON.stringify(id)}`);
      await writeFile(join(target, TRACES, `${id}.txt`), `${trace}\n`);
    }
    terminal.note(`cloudphone: ${crashes.length === 1 ? 'a crash' : `${crashes.length} crashes`} of apps on ${device}`);
  } catch (error) {
    terminal.note(`cloudphone: ${CRASHES} of ${device} could not be saved: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
