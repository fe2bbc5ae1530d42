import { connect } from 'node:net';
import { formatBanner } from '../../phone/adb/banner.js';
import {
  Command,
  encodePacket,
  HEADER_BYTES,
  MAX_PAYLOAD_BYTES,
  packetHeader,
  VERSION_SKIP_CHECKSUM,
} from '../../phone/adb/packet.js';
import { ProbeFault } from './outcome.js';

/** Packets with which an ADB peer responds to a greeting. */
const GREETINGS: readonly number[] = [Command.CNXN, Command.AUTH, Command.STLS];

/**
 * Connects to a relay's port as adb does, and greets it. A relay that closes the connection has refused us, as it refuses every address
 * that is not on its list. Such a relay works. A relay that accepts us responds with a greeting.
 *
 * @throws ProbeFault for a port that cannot be reached, or that speaks something else
 */
export function greetRelay({ host, port }: { host: string; port: number }, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    let isConnected = false;
    let received = Buffer.alloc(0);
    socket.once('connect', () => {
      isConnected = true;
      socket.write(greeting());
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < HEADER_BYTES) return;
      socket.destroy();
      const { command, magic } = packetHeader.read(received);
      if (GREETINGS.includes(command) && magic === ~command >>> 0) resolve();
      else reject(new ProbeFault('responded in an unexpected way'));
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(error);
      // A reset can come before Node has reported the connection.
      else if (isConnected || error.code === 'ECONNRESET') resolve();
      else reject(new ProbeFault('could not be reached', { cause: error }));
    });
    socket.once('close', () => resolve());
  });
}

function greeting(): Buffer {
  const payload = Buffer.from(formatBanner({ state: 'host', properties: {}, features: ['shell_v2'] }));
  const packet = { command: Command.CNXN, arg0: VERSION_SKIP_CHECKSUM, arg1: MAX_PAYLOAD_BYTES, payload };
  return encodePacket(packet, { checksum: true });
}
