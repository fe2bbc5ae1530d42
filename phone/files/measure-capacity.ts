import { readFileSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';

const MIB = 1024 * 1024;

/** How the operator knows the disk of the service's own data, among the disks of a host. */
export const DATA_DISK = 'DATA_DIR';

/** Disk that is never given to phones, MiB, so that the database and the engine can go on writing. */
export const RESERVE_DISK_MB = 512;

/** Returns the room on the disk of a folder, MiB. */
export async function freeDiskMbOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return Math.min(Math.floor((bavail * bsize) / MIB), 2 ** 31 - 1);
}

/** Returns the memory and storage that this machine could still give to phones kept in `directory`. */
export async function measureCapacity(directory: string): Promise<{ freeMemoryMb: number; freeDiskMb: number }> {
  // Before the first phone there is no such folder yet.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return { freeMemoryMb: freeMemoryMb(), freeDiskMb: await freeDiskMbOf(directory) };
}

/** Memory available to a new process without swapping, MiB. */
function freeMemoryMb(): number {
  try {
    // os.freemem leaves out the memory that only caches files. On a busy host, most of the available memory caches files.
    const available = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
    if (available !== undefined) return Math.floor(Number(available) / 1024);
  } catch {
    // This is not Linux, so the plainer measure below is used.
  }
  return Math.floor(freemem() / MIB);
}
