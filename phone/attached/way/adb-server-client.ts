import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '../../../kit/async/clock.js';
import type { ConnectSocket } from '../../link/phone-link.js';
import { readExactly } from './read-exactly.js';

export interface AdbServerAddress {
  host: string;
  port: number;
  clock: Clock;
  connectSocket: ConnectSocket;
}

/** The adb server refused a request, or the request is too long to be sent. `message` is the reason. */
export class AdbServerRefusal extends Error {
  override name = 'AdbServerRefusal';
}

/** How long connecting and sending all requests may take, and then how long the text of a reply may take, ms. */
const REPLY_MS = 10_000;
/** Most bytes of a request: its length has four hex digits on the wire. */
const MAX_TEXT_BYTES = 0xffff;

/**
 * Sends requests to an adb server, one after the other on one connection. When the last request was for a phone's service, the connection
 * is from then on that service's stream. Returns the connection, of whose stream no byte has been read yet. Throws AdbServerRefusal with
 * the server's reason, and other errors when the server cannot be reached or breaks off.
 */
export async function openAdbServer(address: AdbServerAddress, requests: readonly string[]): Promise<Socket> {
  const socket = address.connectSocket(address.host, address.port);
  socket.on('error', () => undefined); // `close` follows
  socket.setNoDelay(true);
  const timer = address.clock.after(REPLY_MS, () => socket.destroy(new Error('the adb server does not respond')));
  try {
    await once(socket, 'connect');
    for (const request of requests) {
      const bytes = Buffer.from(request, 'utf8');
      if (bytes.length > MAX_TEXT_BYTES) throw new AdbServerRefusal('the name of the service is too long');
      socket.write(Buffer.concat([Buffer.from(hex4(bytes.length)), bytes]));
      const status = (await readExactly(socket, 4)).toString('latin1');
      if (status === 'FAIL') throw new AdbServerRefusal(await readText(socket));
      if (status !== 'OKAY') throw new Error(`the adb server sent ${JSON.stringify(status)}`);
    }
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Sends one request whose reply is a text. */
export async function askAdbServer(address: AdbServerAddress, request: string): Promise<string> {
  const socket = await openAdbServer(address, [request]);
  const timer = address.clock.after(REPLY_MS, () => socket.destroy(new Error('the adb server does not respond')));
  try {
    return await readText(socket);
  } finally {
    timer.cancel();
    socket.destroy();
  }
}

async function readText(socket: Socket): Promise<string> {
  const length = parseInt((await readExactly(socket, 4)).toString('latin1'), 16);
  if (!(length >= 0)) throw new Error('the adb server sent a text without a length');
  return length === 0 ? '' : (await readExactly(socket, length)).toString('utf8');
}

function hex4(number: number): string {
  return number.toString(16).padStart(4, '0');
}
