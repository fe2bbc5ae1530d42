import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptSecrets } from '../device-service/accounts/people/first-start.js';
import type { DeviceServiceInstance } from '../device-service/service.js';
import type { Mesh } from './mesh.js';

/** The content of `quickstart.json` in the data folder: addresses and credentials for scripts. Only the file's owner can read it. */
export interface Quickstart {
  base_url: string;
  /** The control panel, for browsers. */
  panel_url: string;
  /** The first account's email. Absent where that account was not made with this data folder, as after a restore. */
  email?: string;
  /** Absent once it was changed. */
  password?: string;
  /** Absent once it was revoked. */
  api_key?: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** Where devices' ADB relays are, once they are enabled. */
  relay_host: string;
  /** Where /metrics, /livez and /readyz are. */
  ops_url: string;
  /** The public status page, on a port of its own. */
  status_url: string;
  /** Whether live screens can be video. Absent: not known, as an earlier version wrote the file. */
  video?: boolean;
  /** A model that a device can be created from. Absent: this host offers none now. */
  model?: string;
}

/** The part that is known only at the first start. */
type Secrets = { email: string } & Pick<Quickstart, 'password' | 'api_key'>;

/** Where the services are. */
export type Places = Mesh & { opsUrl: string; statusUrl: string; video: boolean; model: string | undefined };

/** The first account's address; it is changed in the panel. */
const FIRST_EMAIL = 'owner@localhost';

/** The file for the first account's secrets. It is written before the account is made, and removed once quickstart.json has them. */
const FIRST_ACCOUNT = 'first-account.json';

export const QUICKSTART = 'quickstart.json';

/**
 * Makes the first account on the first start. Call it before anyone can sign up and take the account's address. Its secrets are written
 * down before it is made, so that a crash loses no key.
 */
export async function makeFirstAccount(dataDirectory: string, device: DeviceServiceInstance): Promise<void> {
  await device.createFirstAccount(FIRST_EMAIL, ({ apiKey, ...first }) =>
    write(join(dataDirectory, FIRST_ACCOUNT), { ...first, api_key: apiKey }),
  );
}

/**
 * Writes quickstart.json at every start: ports may have changed, and the admin command finds the service by this file. It also has those
 * secrets of the first account that are still good; they are kept nowhere else. `isFirst`: this is the first start.
 */
export async function writeQuickstart(
  dataDirectory: string,
  places: Places,
): Promise<{ quickstart: Quickstart; isFirst: boolean }> {
  const [first, path] = [join(dataDirectory, FIRST_ACCOUNT), join(dataDirectory, QUICKSTART)];
  const made = read(first);
  const kept = made ?? read(path);
  const { email, password, apiKey } =
    (kept === undefined ? undefined : await places.device.stillGood(keptOf(kept))) ?? {};
  const { url, relayHost, grpc, opsUrl, statusUrl, video, model } = places;
  const quickstart: Quickstart = {
    base_url: `${url}/v1`,
    panel_url: `${url}/`,
    ...(email !== undefined && { email }),
    ...(password !== undefined && { password }),
    ...(apiKey !== undefined && { api_key: apiKey }),
    relay_host: relayHost,
    grpc,
    ops_url: opsUrl,
    status_url: `${statusUrl}/status`,
    video,
    ...(model !== undefined && { model }),
  };
  write(path, quickstart);
  rmSync(first, { force: true });
  return { quickstart, isFirst: made !== undefined };
}

/** Takes the first account's password out of quickstart.json once it was changed. */
export function forgetPassword(dataDirectory: string, email: string): void {
  const path = join(dataDirectory, QUICKSTART);
  if (read(path)?.email !== email) return;
  const quickstart = JSON.parse(readFileSync(path, 'utf8')) as Quickstart;
  delete quickstart.password;
  write(path, quickstart);
}

function keptOf({ email, password, api_key: apiKey }: Secrets): KeptSecrets {
  return { email, ...(password !== undefined && { password }), ...(apiKey !== undefined && { apiKey }) };
}

function write(path: string, what: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(what, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

function read(path: string): Secrets | undefined {
  try {
    const { email, password, api_key } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>;
    if (email === undefined) return undefined;
    return { email, ...(password !== undefined && { password }), ...(api_key !== undefined && { api_key }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
