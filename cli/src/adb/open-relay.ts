import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { CloudPhoneError } from '../../../client/src/errors.js';
import { devicePath } from '../service/list-items.js';

/** The relay of a phone, as far as the tunnel needs it. */
interface Relay {
  enabled: boolean;
  /** Whether clients that come through the API may use it. */
  tunnel?: boolean;
  sessions: readonly unknown[];
}

/** Returns the number of ADB connections that a phone has. */
export async function countAdbSessions(phone: CloudPhone, device: string, signal: AbortSignal): Promise<number> {
  const response = await phone.request('GET', devicePath(device, '/adb'), { signal });
  return ((await response.json()) as { adb: Relay }).adb.sessions.length;
}

/**
 * Turns the relay of a phone on for clients that come through the API, where it is not on. Enabling a relay ends its connections, so a
 * relay that is on for a port alone is left as it is, and is an error.
 */
export async function openRelay(phone: CloudPhone, device: string, signal: AbortSignal): Promise<void> {
  const path = devicePath(device, '/adb');
  const { adb } = (await (await phone.request('GET', path, { signal })).json()) as { adb: Relay };
  if (adb.enabled && adb.tunnel === true) return;
  if (adb.enabled)
    throw new CloudPhoneError(
      `The relay of ${device} is on for its TCP port alone, with ${adb.sessions.length} connections. Turn it off first: cloudphone adb ${device} --off`,
      { kind: 'busy', status: 409 },
    );
  await phone.request('POST', path, { body: { tunnel: true }, signal });
}

/** Whether the relay is on for clients that come through the API. */
export async function isRelayOpen(phone: CloudPhone, device: string, signal: AbortSignal): Promise<boolean> {
  const { adb } = (await (await phone.request('GET', devicePath(device, '/adb'), { signal })).json()) as { adb: Relay };
  return adb.enabled && adb.tunnel === true;
}

/** Turns the relay off, for everybody. */
export async function closeRelay(phone: CloudPhone, device: string, signal: AbortSignal): Promise<unknown> {
  return (await phone.request('DELETE', devicePath(device, '/adb'), { signal })).json();
}
