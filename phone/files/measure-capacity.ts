import { readFileSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';

const MIB = 1024 * 1024;

/** Returns the memory and storage that this machine could still give to phones kept in `directory`. */
export async function measureCapacity(directory: string): Promise<{ freeMemoryMb: number; freeDiskMb: number }> {
  // Before the first phone there is no such folder yet.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { bavail, bsize } = await statfs(directory);
  return { freeMemoryMb: freeMemoryMb(), freeDiskMb: Math.min(Math.floor((bavail * bsize) / MIB), 2 ** 31 - 1) };
}

/** Memory available to a new process without swapping, MiB. */
function freeMemoryMb(): number {
  try {
    // os.freemem leaves out memory that only caches files, which is most of it on a busy host.
    const available = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    if (available !== undefined) return Math.floor(Number(available) / 1024);
  } catch {
    // Not Linux: the plainer measure below.
  }
  return Math.floor(freemem() / MIB);
}
