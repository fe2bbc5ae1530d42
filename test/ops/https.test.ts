import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../testing/free-port.js';
import { selfSigned } from '../../testing/self-signed.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));

describe('an installation with a certificate', () => {
  let directory: string;
  let running: Installation;
  let redirectPort: number;

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-https-'));
    const { cert, key } = selfSigned();
    const [TLS_CERT, TLS_KEY] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    writeFileSync(TLS_CERT, cert);
    writeFileSync(TLS_KEY, key);
    redirectPort = await freePort();
    const environment = { TLS_CERT, TLS_KEY, REDIRECT_PORT: String(redirectPort), SIMULATED_BOOT_MS: '50' };
    running = await startInstallation({ directory: join(directory, 'data'), start, environment });
  });
  after(async () => {
    await running.stop();
    await removeData(directory);
  });

  const curl = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('curl', ['-sk', ...args])).stdout;

  it('names its https addresses, and serves the API, the panel and the status page there', async () => {
    expect(running.baseUrl).to.match(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(running.printed())
      .to.include(running.baseUrl)
      .and.match(/Status page +https:/);
    const models = await curl('-H', `Authorization: Bearer ${running.key}`, `${running.baseUrl}/models`);
    expect(JSON.parse(models)).to.have.property('models');
    expect(await curl('-i', new URL('/status', running.baseUrl).href)).to.match(/^HTTP\/2 200/);
    const statusUrl = /Status page +(\S+)/.exec(running.printed())?.[1] ?? '';
    for (const version of ['--http1.1', '--http2'])
      expect((await curl('-i', version, statusUrl)).toLowerCase()).to.include('strict-transport-security: max-age=');
  });

  it('checks its own edge by https', async () => {
    const api = async (): Promise<string> => curl(new URL('/status.json', running.baseUrl).href);
    await until(async () => /"operational"|"ok"/.test(await api()));
    expect(await api()).not.to.match(/failing|outage/);
  });

  it('redirects http to it', async () => {
    const { port } = new URL(running.baseUrl);
    const response = await curl('-i', `http://localhost:${redirectPort}/v1/models`);
    expect(response)
      .to.match(/^HTTP\/1.1 308 /)
      .and.include(`Location: https://localhost:${port}/v1/models\r\n`);
  });
});
