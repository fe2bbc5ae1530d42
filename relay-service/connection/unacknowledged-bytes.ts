import { begunAhead } from '../../kit/async/begun-ahead.js';
import { readFile } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';
import type { PeerStream } from './peer-stream.js';

/**
 * Returns the bytes written to a socket that the system holds because the peer has not acknowledged them. A tunnel has none: the session
 * holds all that its reader has not taken.
 */
export type UnacknowledgedBytes = (socket: PeerStream) => Promise<number>;

/**
 * Creates a function that reads this number from Linux's tables of connections, as Node has no call for it. On other systems it returns 0,
 * and a vanished peer is noticed only when the system gives up.
 */
export function createUnacknowledgedBytes(): UnacknowledgedBytes {
  let reading: Promise<string[][]> | undefined;
  return async ({ localPort = 0, remoteAddress, remotePort = 0 }) => {
    if (remoteAddress === undefined) return 0;
    // One reading serves all that ask meanwhile: the tables have a row for each connection of the machine.
    reading ??= begunAhead(readTables().finally(() => (reading = undefined)));
    const ports = [localPort, remotePort].map(hexOfPort);
    const row = (await reading).find(
      ([, local = '', remote = '']) =>
        local.endsWith(ports[0] ?? '') && remote.endsWith(ports[1] ?? '') && isAddress(remote, remoteAddress),
    );
    return parseInt(row?.[4] ?? '0', 16); // parseInt stops at the colon after the bytes to send
  };
}

/** Rows as `0: 0100007F:1F90 0200007F:C350 01 00000040:00000000 …`: local and remote address, state, bytes to send and received. */
async function readTables(): Promise<string[][]> {
  const tables = await Promise.all([readTable('/proc/net/tcp'), readTable('/proc/net/tcp6')]);
  return tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)));
}

async function readTable(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    // The system is not Linux, or has no IPv6.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function hexOfPort(port: number): string {
  return `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Whether `0200007F:C350` is at an address such as `127.0.0.2` or `::ffff:127.0.0.2`: words of 32 bits, the lowest byte first. */
function isAddress(place: string, address: string): boolean {
  const words = place.split(':', 1)[0]?.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex').reverse()]);
  const plain = address.split('%', 1)[0] ?? '';
  if (!ipaddr.isValid(plain) || (bytes.length !== 4 && bytes.length !== 16)) return false;
  return ipaddr.process(ipaddr.fromByteArray(bytes).toString()).toString() === ipaddr.process(plain).toString();
}
