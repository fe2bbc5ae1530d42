import { statfsSync } from 'node:fs';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';

/**
 * The least free space with which the tests use that folder, bytes. The tests of all processes together write less than a quarter of it.
 */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/**
 * Puts the temporary files of the tests into memory where there is enough of it. Databases then do not wait for a disk at each write. Such
 * waits take most of the time of many tests. A TMPDIR that is set is left as it is. Mocha loads this file before the tests.
 */
if (process.env['TMPDIR'] === undefined && hasRoom()) process.env['TMPDIR'] = IN_MEMORY;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // This system has no such folder.
    return false;
  }
}
