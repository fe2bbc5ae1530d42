import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The state of a socket that listens, in the kernel's tables. */
const LISTENS = '0A';

/**
 * Whether this process listens at a TCP port. A connection shows less: another process of the machine may have taken a port that has just
 * become free.
 */
export function listensHere(port: number): boolean {
  const own = new Set(readdirSync('/proc/self/fd').map(targetOf));
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((table) => readFileSync(table, 'latin1').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .some(
      ([, place = '', , state, , , , , , inode = '']) =>
        place.endsWith(end) && state === LISTENS && own.has(`socket:[${inode}]`),
    );
}

/** Returns an empty text for a descriptor that was closed meanwhile, such as the one by which the folder was read. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
