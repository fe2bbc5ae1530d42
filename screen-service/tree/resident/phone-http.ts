import { request as httpRequest } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { AdbSocket } from '@yume-chan/adb';
import type { Clock } from '../../../kit/async/clock.js';
import { unlessAborted, within } from '../../../kit/async/within.js';

export interface PhoneRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** The body, which is sent as JSON. */
  body?: object;
  timeoutMs: number;
  /** A longer response is refused, bytes. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface PhoneResponse {
  status: number;
  body: Buffer;
}

/** Largest head of a response, bytes. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Is thrown when a phone's HTTP server sends no valid response in time, or a response that is too large. */
export class BadResponse extends Error {
  override name = 'BadResponse';
}

/**
 * Makes one HTTP request to a server on a phone. It goes over a stream of ADB that `open` opens, as no port of this machine leads to the
 * phone. Everything that the phone sends is bounded: head, body and time.
 */
export function requestOnPhone(
  clock: Clock,
  open: (signal: AbortSignal) => Promise<AdbSocket>,
  request: PhoneRequest,
): Promise<PhoneResponse> {
  const { timeoutMs, signal } = request;
  const onTimeout = (): Error => new BadResponse(`no response within ${timeoutMs} ms`);
  return within({ clock, timeoutMs, signals: [signal], onTimeout }, async (ends) => {
    const socket = await open(ends);
    const { near, close } = duplexOf(socket);
    try {
      return await unlessAborted(ends, exchange(near, request));
    } finally {
      close();
    }
  });
}

function exchange(connection: Duplex, { method, path, body, maxBytes }: PhoneRequest): Promise<PhoneResponse> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      method,
      path,
      headers: {
        host: 'phone',
        connection: 'close',
        ...(text !== '' && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
      maxHeaderSize: MAX_HEAD_BYTES,
      createConnection: () => connection,
    });
    request.on('error', reject);
    // Without a listener, the request would not end where the phone offers another protocol.
    request.on('upgrade', () => reject(new BadResponse('it changes the protocol')));
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('error', reject);
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) request.destroy(new BadResponse(`more than ${maxBytes} bytes`));
        else parts.push(part);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts) }));
      response.on('close', () => reject(new BadResponse('the response was broken off')));
    });
    request.end(text);
  });
}

/** Returns a stream of ADB as a stream of Node. */
function duplexOf(socket: AdbSocket): { near: Duplex; close: () => void } {
  const [near, far] = duplexPair();
  for (const end of [near, far]) end.on('error', () => undefined);
  const reader = socket.readable.getReader();
  const writer = socket.writable.getWriter();
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    near.destroy();
    far.destroy();
    void reader.cancel().catch(() => undefined);
    void Promise.resolve(socket.close()).catch(() => undefined);
  };
  const receive = async (): Promise<void> => {
    for (let part = await reader.read(); !part.done && isOpen; part = await reader.read()) {
      const { buffer, byteOffset, byteLength } = part.value;
      const hasRoom = far.write(Buffer.from(buffer, byteOffset, byteLength));
      if (!hasRoom) await new Promise<void>((resolve) => far.once('drain', resolve).once('close', resolve));
    }
    far.end();
  };
  const send = async (): Promise<void> => {
    for await (const part of far) await writer.write(part as Buffer);
  };
  receive().catch(close);
  send().catch(close);
  return { near, close };
}
