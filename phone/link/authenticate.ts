import type { Duplex } from 'node:stream';
import { AdbDaemonTransport } from '@yume-chan/adb';
import { adbConnection } from './adb-connection.js';

/** Features that are announced. Left out on purpose: delayed_ack, which lets a phone send 32 MiB ahead of our reading. */
const FEATURES = ['shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'fixed_push_mkdir', 'abb_exec'] as const;

/** Connects, and does the ADB handshake. Rejects when the phone hangs up or requires a key. */
export async function authenticate(socket: Duplex): Promise<AdbDaemonTransport> {
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed before it was connected')));
  });
  return AdbDaemonTransport.authenticate({
    serial: 'phone',
    connection: adbConnection(socket),
    features: FEATURES,
    initialDelayedAckBytes: 0,
    // Phones are on a private network with ADB authentication off; one that requires a key is misconfigured.
    authenticators: [],
    credentialStore: {
      generateKey: () => {
        throw new Error('the phone asks for an ADB key');
      },
      iterateKeys: () => [][Symbol.iterator](),
    },
  });
}
