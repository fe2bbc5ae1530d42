import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a running emulator publishes of itself. */
export interface Discovery {
  avdId: string | undefined;
  adbPort: number | undefined;
}

/** Bytes of the file that are parsed, at the most. The files that the emulator writes are shorter. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns what an emulator wrote to `<runtime>/avd/running/pid_<pid>.ini` once it had its ports; undefined until then. The folder is
 * emptied before each start, so any file in it was written by the emulator that was started last.
 */
export async function readDiscovery(runtimeFolder: string): Promise<Discovery | undefined> {
  const folder = join(runtimeFolder, 'avd', 'running');
  const names = await readdir(folder).catch(() => []);
  const name = names.find((one) => /^pid_\d+\.ini$/.test(one));
  if (name === undefined) return undefined;
  const text = (await readFile(join(folder, name)).catch(() => Buffer.alloc(0)))
    .subarray(0, MAX_BYTES)
    .toString('utf8');
  const discovery = parseDiscovery(text);
  // The emulator writes the file in several steps. The port is in one of the last lines, so the file is used only once it has the port.
  return discovery.adbPort === undefined ? undefined : discovery;
}

export function parseDiscovery(text: string): Discovery {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at > 0) values.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  const port = values.get('port.adb') ?? '';
  return { avdId: values.get('avd.id'), adbPort: /^\d{1,5}$/.test(port) ? Number(port) : undefined };
}
