import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mesh } from './mesh.js';

/** What a script needs to use this installation: `quickstart.json` in the data folder, readable by its owner only. */
export interface Quickstart {
  base_url: string;
  email: string;
  password: string;
  api_key: string;
  grpc: { device: string; screen: string; relay: string; webhook: string };
  /** Where devices' ADB relays are, once they are enabled. */
  relay_host: string;
  /** Where /metrics, /livez and /readyz are. */
  ops_url: string;
}

/** Where the services are. */
export type Places = Mesh & { opsUrl: string };

/** The first account's address; it is changed in the panel. */
const FIRST_EMAIL = 'owner@localhost';

/**
 * Makes the first account on the first start, and writes where things are at every start: ports may have changed. Answers undefined
 * when the file is gone though an account exists: key and password are kept nowhere else.
 */
export async function writeQuickstart(dataDirectory: string, mesh: Places): Promise<Quickstart | undefined> {
  const path = join(dataDirectory, 'quickstart.json');
  const first = await mesh.device.createFirstAccount(FIRST_EMAIL);
  const known = first === undefined ? read(path) : { ...first, api_key: first.apiKey };
  if (known === undefined) return undefined;
  const quickstart: Quickstart = {
    base_url: `${mesh.url}/v1`,
    email: known.email,
    password: known.password,
    api_key: known.api_key,
    relay_host: mesh.relayHost,
    grpc: mesh.grpc,
    ops_url: mesh.opsUrl,
  };
  writeFileSync(`${path}.new`, `${JSON.stringify(quickstart, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return quickstart;
}

function read(path: string): Pick<Quickstart, 'email' | 'password' | 'api_key'> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Quickstart;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
