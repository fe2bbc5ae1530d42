import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Longest path of a Unix socket: sun_path has 108 bytes on Linux and 104 on macOS, its NUL included. */
const LONGEST_PATH_BYTES = 103;

/** The socket of the simulator that keeps its phones in `directory`: in there, or where that is too long, in the system's folder
 * for temporary files, in a folder of its own that only this user may enter. */
export function simulatorSocketPath(directory: string): string {
  const path = join(resolve(directory), 'simulator.sock');
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return path;
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `cloudphone-${digest}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, 'simulator.sock');
}
