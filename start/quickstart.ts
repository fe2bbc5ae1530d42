import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceServiceInstance } from '../device-service/service.js';
import type { Mesh } from './mesh.js';

/** Writes addresses and credentials for scripts: `quickstart.json` in the data folder, readable by its owner only. */
export interface Quickstart {
  base_url: string;
  /** The control panel, for browsers. */
  panel_url: string;
  /** The first account's; absent on a database that was there before this data folder, whose secrets are kept nowhere. */
  email?: string;
  password?: string;
  api_key?: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** Where devices' ADB relays are, once they are enabled. */
  relay_host: string;
  /** Where /metrics, /livez and /readyz are. */
  ops_url: string;
  /** The public status page, on a port of its own. */
  status_url: string;
}

/** The part that is known only at the first start. */
export type Secrets = Required<Pick<Quickstart, 'email' | 'password' | 'api_key'>>;

/** Where the services are. */
export type Places = Mesh & { opsUrl: string; statusUrl: string };

/** The first account's address; it is changed in the panel. */
const FIRST_EMAIL = 'owner@localhost';

/** Where the first account's secrets are from before it is made until quickstart.json has them. */
const FIRST_ACCOUNT = 'first-account.json';

export const QUICKSTART = 'quickstart.json';

/**
 * Makes the first account on the first start. To be done before anyone can sign up and take the account's address.
 * Its secrets are written down before it is made, so that a crash loses no key.
 */
export async function makeFirstAccount(dataDirectory: string, device: DeviceServiceInstance): Promise<void> {
  await device.createFirstAccount(FIRST_EMAIL, ({ apiKey, ...first }) =>
    write(join(dataDirectory, FIRST_ACCOUNT), { ...first, api_key: apiKey }),
  );
}

/**
 * Writes where things are, at every start: ports may have changed, and the admin command finds the service by it. The first account's
 * secrets are absent from it when they are gone though an account exists: key and password are kept nowhere else.
 */
export function writeQuickstart(dataDirectory: string, places: Places): Quickstart {
  const [first, path] = [join(dataDirectory, FIRST_ACCOUNT), join(dataDirectory, QUICKSTART)];
  const known = read(first) ?? read(path);
  const { url, relayHost, grpc, opsUrl, statusUrl } = places;
  const quickstart: Quickstart = {
    base_url: `${url}/v1`,
    panel_url: `${url}/`,
    ...known,
    relay_host: relayHost,
    grpc,
    ops_url: opsUrl,
    status_url: `${statusUrl}/status`,
  };
  write(path, quickstart);
  rmSync(first, { force: true });
  return quickstart;
}

function write(path: string, what: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(what, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

function read(path: string): Secrets | undefined {
  try {
    const { email, password, api_key } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Secrets>;
    if (email === undefined || password === undefined || api_key === undefined) return undefined;
    return { email, password, api_key };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
