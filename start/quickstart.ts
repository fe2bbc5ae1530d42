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
}

type Secrets = Pick<Quickstart, 'email' | 'password' | 'api_key'>;

/** The first account's address; it is changed in the panel. */
const FIRST_EMAIL = 'owner@localhost';

/**
 * Makes the first account on the first start, and writes where things are at every start: ports may have changed. The file is there
 * before the account is, so that a crash loses no key. Answers undefined when the file is gone though an account exists: key and
 * password are kept nowhere else.
 */
export async function writeQuickstart(dataDirectory: string, mesh: Mesh): Promise<Quickstart | undefined> {
  const path = join(dataDirectory, 'quickstart.json');
  const write = ({ email, password, api_key }: Secrets): Quickstart => {
    const { url, relayHost, grpc } = mesh;
    const quickstart = { base_url: `${url}/v1`, email, password, api_key, relay_host: relayHost, grpc };
    writeFileSync(`${path}.new`, `${JSON.stringify(quickstart, undefined, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
    return quickstart;
  };
  await mesh.device.createFirstAccount(FIRST_EMAIL, ({ apiKey, ...first }) => write({ ...first, api_key: apiKey }));
  const known = read(path);
  return known && write(known);
}

function read(path: string): Secrets | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Quickstart;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
