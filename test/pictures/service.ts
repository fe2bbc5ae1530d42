import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const START = fileURLToPath(new URL('../../start.js', import.meta.url));

/** A service that pictures are taken of: as `npm start` runs it, on free ports and a data folder of its own. */
export interface PicturedService {
  api: RestClient;
  /** Address of the panel, without a slash at the end. */
  url: string;
  /** The cookie of a session of the first account. */
  cookie: { name: string; value: string };
  close(): Promise<void>;
}

export async function startService(): Promise<PicturedService> {
  const directory = mkdtempSync(join(tmpdir(), 'cloudphone-pictures-'));
  const installation = await startInstallation({
    directory,
    start: START,
    environment: { SIMULATED_BOOT_MS: '0' },
  });
  const { email, password } = JSON.parse(readFileSync(join(directory, 'quickstart.json'), 'utf8')) as Account;
  const url = installation.baseUrl.replace(/\/v1$/, '');
  const { headers } = await new RestClient(url, undefined).post('/v1/session', { email, password });
  const [, name = '', value = ''] = /^(\w+)=([^;]+)/.exec(headers.get('set-cookie') ?? '') ?? [];
  return {
    api: new RestClient(url, installation.key),
    url,
    cookie: { name, value },
    close: async () => {
      await installation.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Account {
  email: string;
  password: string;
}
