import { statfsSync } from 'node:fs';

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';

/** What is free there at least, bytes: the tests of all processes together write less than a quarter of it. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/**
 * Puts the temporary files of the tests into memory where there is enough of it: databases then do not wait for a disk at each write,
 * which is most of what many tests wait for. A TMPDIR that is set is left as it is. Loaded by mocha before the tests.
 */
if (process.env['TMPDIR'] === undefined && hasRoom()) process.env['TMPDIR'] = IN_MEMORY;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // Not on this system.
    return false;
  }
}
