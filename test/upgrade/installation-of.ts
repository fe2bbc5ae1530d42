import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type OpenApi, openApi, openApiOf } from '../../testing/openapi.js';
import type { Release } from '../../testing/release-before.js';
import { PanelClient } from '../access/people.js';
import { type Installation, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The code under test, in the form of a release. */
export const THIS_RELEASE: Release = { version: 'under test', root: ROOT };

/** A whole service of a release, with its owner's clients. */
export interface ReleasedService {
  release: Release;
  service: Installation;
  /** With the first account's key. */
  api: RestClient;
  email: string;
  password: string;
  /** The panel of a person with this cookie. */
  panel(cookie: string): PanelClient;
  /** Runs the release's own command line. Returns its output. */
  admin(...words: string[]): Promise<string>;
}

/** Starts a release on a data folder. `laterMs`: by its wall clock, so much later than it is. */
export async function startRelease(
  release: Release,
  directory: string,
  { environment, laterMs }: { environment: Record<string, string>; laterMs?: number },
): Promise<ReleasedService> {
  const clock = new URL(`shifted-clock.js?${laterMs ?? 0}`, import.meta.url).href;
  const service = await startInstallation({
    directory,
    start: join(release.root, 'dist', 'start.js'),
    environment: {
      ...{ ALLOW_PRIVATE_TARGETS: 'on', SIMULATED_BOOT_MS: '100', STATUS_PORT: '0' },
      ...environment,
    },
    ...(laterMs !== undefined && { nodeArguments: ['--import', clock] }),
  });
  const reference = referenceOf(release);
  const url = service.baseUrl.replace(/\/v1$/, '');
  const { email, password } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as {
    email: string;
    password: string;
  };
  return {
    ...{ release, service, email, password },
    api: new RestClient(url, service.key, reference),
    panel: (cookie) => new PanelClient(url, cookie, reference),
    admin: async (...words) => {
      const main = join(release.root, 'dist', 'admin', 'main.js');
      const env = { ...process.env, DATA_DIR: directory };
      return (await promisify(execFile)(process.execPath, [main, ...words], { env })).stdout;
    },
  };
}

/** Returns the document of a release's own contract, with which its responses agree. */
export function referenceOf({ root }: Release): OpenApi {
  if (root === ROOT) return openApi();
  return openApiOf(JSON.parse(readFileSync(join(root, 'clients/python/openapi.json'), 'utf8')) as object);
}
