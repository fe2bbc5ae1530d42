import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Longest path of a Unix socket: sun_path has 108 bytes on Linux and 104 on macOS, its NUL included. */
const MAX_PATH_BYTES = 103;

/**
 * Returns the path of the Unix socket `name` that belongs to a folder. Where that path is too long, the socket is below the system's folder
 * for temporary files, in a folder that only this user may enter. Every process gets the same path.
 */
export function socketPathIn(directory: string, name: string): string {
  const path = join(resolve(directory), name);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `cloudphone-${digest}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Another user with write access could have made it first, to listen in our place.
  if (statSync(folder).uid !== process.getuid?.()) throw new Error(`The folder ${folder} belongs to another user.`);
  chmodSync(folder, 0o700);
  return join(folder, name);
}
