import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Linux's list of connections, IPv4. */
const CONNECTIONS_FILE = '/proc/net/tcp';

/** The two ends of a connection on loopback, as the accepting side has them. */
export interface Ends {
  localPort: number;
  remotePort: number;
}

/**
 * Whether the program at the other end of an accepted connection runs as this user. Where the system has no list of connections, that
 * cannot be known, and every program of the machine is accepted.
 */
export async function isOfThisUser({ localPort, remotePort }: Socket, userId: number | undefined): Promise<boolean> {
  if (userId === undefined || localPort === undefined || remotePort === undefined) return userId === undefined;
  const list = await readFile(CONNECTIONS_FILE, 'utf8').catch(() => undefined);
  return list === undefined || userOfPeer(list, { localPort, remotePort }) === userId;
}

/**
 * Returns the user of the connecting end, by Linux's list. Undefined: the connection is not in the list, as its other end is in another
 * network namespace or has been closed.
 */
export function userOfPeer(list: string, { localPort, remotePort }: Ends): number | undefined {
  // The connecting end is a socket of its own: its local address is the remote address of the accepting end.
  const ends = [`0100007F:${hexPort(remotePort)}`, `0100007F:${hexPort(localPort)}`];
  for (const line of list.split('\n')) {
    const [, local, remote, , , , , user] = line.trim().split(/\s+/);
    if (local === ends[0] && remote === ends[1]) return Number(user);
  }
  return undefined;
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
