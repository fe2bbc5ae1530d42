import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { MeshConfig } from '../config/rpc-settings.js';
import { keptIn, readKept } from '../files/kept-text.js';

/** Where the token that the services made for themselves is kept in a data folder. */
export const MESH_TOKEN_FILE = 'mesh-token';

/**
 * Returns a configuration that has no MESH_TOKEN with the token of its data folder. The services of one machine know each other by that
 * token. Other users of the machine, who cannot read the folder, are kept out of internal rpcs. With `make`, a missing token is made. Only
 * a start of everything in one process may make it: separate services, which need not share a folder, would refuse each other. Certificates
 * with an authority take the token's place.
 */
export function withKeptToken<C extends MeshConfig>(config: C, { make }: { make: boolean }): C {
  const { meshToken, tls, dataDirectory } = config;
  if (meshToken !== undefined || tls?.ca !== undefined) return config;
  const kept = make
    ? keptIn(dataDirectory, MESH_TOKEN_FILE, () => randomBytes(32).toString('hex'))
    : readKept(join(dataDirectory, MESH_TOKEN_FILE));
  return kept === undefined || kept === '' ? config : { ...config, meshToken: kept };
}
