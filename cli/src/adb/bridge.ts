import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CloudPhoneError } from '../../../client/src/errors.js';
import type { Wait } from '../../../client/src/platform.js';
import { unreachable } from '../../../client/src/send.js';
import type { Service } from '../service/connection.js';
import { devicePath } from '../service/list-items.js';
import { errorOfMessage } from '../service/transfer.js';

/** Bytes that may wait for the service before adb is no longer read from. */
const MAX_WAITING_BYTES = 256 * 1024;

/** The largest message of the service, bytes; far above the pieces that it sends. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const HANDSHAKE_MS = 30_000;

/** Time between two pings, ms. A service that shows no sign of life between two of them is gone. */
const PING_MS = 20_000;

/** How a bridge ended. */
export interface BridgeEnd {
  /** The close code of the WebSocket; undefined when adb closed first. */
  code: number | undefined;
  /** The reason of the service, for people. */
  reason: string;
}

/** Opens the WebSocket of a phone's ADB bytes. The signal ends it, at any time. Throws a CloudPhoneError when the service refuses. */
export function openSocket({ url, key }: Service, device: string, signal: AbortSignal): Promise<WebSocket> {
  const target = url.replace(/^http/, 'ws').replace(/\/v1$/, '') + devicePath(device, '/adb/connect');
  const socket = new WebSocket(target, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': 'cloudphone-cli' },
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    // The key goes to no other service.
    followRedirects: false,
  });
  const giveUp = (): void => socket.terminate();
  signal.addEventListener('abort', giveUp, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', giveUp));
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      // Until the bridge listens: the service may send at once.
      socket.pause();
      resolve(socket);
    });
    // Stays attached: what fails later closes the socket, which is what the bridge sees.
    socket.on('error', (cause) => reject(unreachable(url, cause)));
    socket.once('unexpected-response', (request, response: IncomingMessage) => {
      void errorOfMessage(response).then(reject, reject);
      request.once('close', () => socket.terminate());
    });
  });
}

/**
 * Carries bytes both ways between adb and a phone until one side ends. Each side is read no faster than the other takes. Closes both.
 */
export async function bridge(adb: Socket, phone: WebSocket, wait: Wait): Promise<BridgeEnd> {
  let error: CloudPhoneError | undefined;
  const signs = new SignsOfLife(phone);
  const ended = new Promise<BridgeEnd>((resolve) => {
    phone.on('message', (data: Buffer, isBinary: boolean) => {
      // A text is the error for which the service closes next.
      if (!isBinary) error = closingError(data.toString());
      else if (!adb.write(data)) phone.pause();
    });
    adb.on('drain', () => {
      phone.resume();
      signs.heard();
    });
    adb.on('data', (data: Buffer) => {
      phone.send(data, { binary: true }, () => {
        if (adb.isPaused() && phone.bufferedAmount <= MAX_WAITING_BYTES) adb.resume();
      });
      if (phone.bufferedAmount > MAX_WAITING_BYTES) adb.pause();
    });
    adb.once('error', () => resolve({ code: undefined, reason: '' }));
    adb.once('close', () => resolve({ code: undefined, reason: '' }));
    phone.once('close', (code, reason) => resolve({ code, reason: error?.message ?? reason.toString() }));
  });
  adb.resume();
  phone.resume();
  const over = new AbortController();
  const pings = keepAlive(phone, signs, wait, over.signal).catch(() => undefined);
  try {
    return await ended;
  } finally {
    over.abort();
    await pings;
    // Paused, it would not see the other side confirm the close.
    phone.resume();
    phone.close();
    adb.destroy();
  }
}

/** Notes whether the service has shown a sign of life since it was last checked. */
class SignsOfLife {
  readonly #phone: WebSocket;
  #isHeard = true;

  constructor(phone: WebSocket) {
    this.#phone = phone;
    // A service whose phone is slow does not read our pings meanwhile, and sends its own.
    for (const event of ['message', 'ping', 'pong'] as const) phone.on(event, () => this.heard());
  }

  /** Notes a sign of life. Also called when the phone is read again, as its responses come only then. */
  heard(): void {
    this.#isHeard = true;
  }

  /** Returns whether there was one. While adb does not take what came, nothing is read, so the service does not count as silent. */
  check(): boolean {
    const wasHeard = this.#isHeard || this.#phone.isPaused;
    this.#isHeard = false;
    return wasHeard;
  }
}

/** Sends pings until the signal. A connection whose other end has vanished is noticed by them. */
async function keepAlive(phone: WebSocket, signs: SignsOfLife, wait: Wait, signal: AbortSignal): Promise<void> {
  for (;;) {
    await wait(PING_MS, signal);
    if (!signs.check()) {
      phone.terminate();
      return;
    }
    phone.ping();
  }
}

function closingError(text: string): CloudPhoneError | undefined {
  try {
    const { error, message } = JSON.parse(text) as { error?: CloudPhoneError['kind']; message?: string };
    if (error !== undefined && message !== undefined) return new CloudPhoneError(message, { kind: error, status: 0 });
  } catch {
    // Not of this service: the close code has to do.
  }
  return undefined;
}
