import { WebSocket } from 'ws';
import type { Service } from '../service.js';
import { PhoneShell } from './phone-shell.js';

const HANDSHAKE_MS = 30_000;
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Turns the relay of a phone on for clients that come through the API, and opens the phone's shell through it. */
export async function openShell({ phone, url, key }: Service, device: string): Promise<PhoneShell> {
  const path = `/v1/devices/${encodeURIComponent(device)}/adb`;
  await phone.request('POST', path, { body: { tunnel: true } });
  const socket = new WebSocket(`${url.replace(/^http/, 'ws').replace(/\/v1\/?$/, '')}${path}/connect`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': 'cloudphone-gym' },
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    // The key goes to no other service.
    followRedirects: false,
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (cause) => reject(new Error(`The shell of ${device} cannot be opened.`, { cause })));
  });
  return PhoneShell.open(socket);
}
