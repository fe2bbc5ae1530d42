import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { isInstalled } from '../../testing/is-installed.js';
import { zipOf } from '../../testing/phone/zip-of.js';
import { skip } from '../../testing/skip.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';
import { type DocumentedProxy, type Ports, proxyPorts, type ProxyKind, startDocumentedProxy } from './documented-proxy.js'; // prettier-ignore

const START = fileURLToPath(new URL('../../start.js', import.meta.url));
const APK = new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url);
const UPLOAD_BYTES = 100 * 1024 ** 2;

/** Makes nginx's own limits of silence 2 s. The phone below takes longer to boot, as long as a wait of over a minute beside them. */
const TIMES_DIVIDED_BY = 30;
const BOOT_MS = 2_500;

for (const kind of ['caddy', 'nginx'] as const satisfies ProxyKind[]) {
  describe(`${kind}, with its file of docs/tls.md, in front of a service`, () => {
    let folder: string;
    let running: Installation;
    let proxy: DocumentedProxy;
    let hasty: DocumentedProxy;
    let url: string;

    before(async function () {
      if (!isInstalled(kind)) skip(this, `needs the program ${kind} (Debian package ${kind})`);
      folder = mkdtempSync(join(tmpdir(), `${kind}-`));
      const ports = await proxyPorts();
      url = `https://localhost:${ports.httpsPort}`;
      const environment = { PUBLIC_URL: url, BEHIND_PROXY: 'on', SIMULATED_BOOT_MS: String(BOOT_MS) };
      running = await startInstallation({ directory: join(folder, 'data'), start: START, environment });
      const startProxy = (name: string, own: Ports, timesDividedBy?: number): Promise<DocumentedProxy> => {
        const upstreamPort = Number(new URL(running.baseUrl).port);
        const options = { folder: join(folder, name), upstreamPort, ...(timesDividedBy && { timesDividedBy }) };
        return startDocumentedProxy(kind, { ...own, ...options });
      };
      proxy = await startProxy('proxy', ports);
      hasty = await startProxy('hasty', await proxyPorts(), TIMES_DIVIDED_BY);
    });
    after(async () => {
      await (hasty as DocumentedProxy | undefined)?.close();
      await (proxy as DocumentedProxy | undefined)?.close();
      await (running as Installation | undefined)?.stop();
      if (folder) await removeData(folder);
    });

    const curl = async (...words: string[]): Promise<string> => {
      const key = ['-H', `Authorization: Bearer ${running.key}`];
      return (await promisify(execFile)('curl', ['-sk', ...key, ...words], { maxBuffer: 1024 ** 2 })).stdout;
    };
    const json = async (...words: string[]) => JSON.parse(await curl(...words));

    it('passes the API on, by HTTP/2 and HTTP/1.1, and says that it is https', async () => {
      for (const [option, version] of [
        ['--http2', '2'],
        ['--http1.1', '1.1'],
      ] as const)
        // prettier-ignore
        expect(await curl('-i', option, `${url}/v1/models`)).to.match(new RegExp(`^HTTP/${version} 200`));
      const { email, password } = JSON.parse(readFileSync(join(folder, 'data/quickstart.json'), 'utf8')) as Record<string, string>; // prettier-ignore
      const login = ['-H', 'Content-Type: application/json', '-d', JSON.stringify({ email, password })];
      const session = await curl('-i', ...login, `${url}/v1/session`);
      expect(session).to.match(/set-cookie: __Host-cp_session=[^\n]*; secure/i);
    });

    it('has browsers come back by https alone', async () => {
      expect(await curl('-I', url)).to.match(/^strict-transport-security: max-age=31536000\r$/im);
    });

    it('redirects http to it', async () => {
      const redirected = await curl('-i', `http://localhost:${proxy.httpPort}/v1/models?a=b`);
      expect(redirected).to.match(/^HTTP\/1.1 308 /).and.match(/^location: https:\/\/localhost\S*\/v1\/models\?a=b\r$/im); // prettier-ignore
    });

    it('does not cut a request that waits for longer than a minute', async () => {
      const direct = new RestClient(running.baseUrl.replace('/v1', ''), running.key);
      const wanted = { name: 'phone', model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute' };
      const { body } = await direct.post('/v1/devices', wanted);
      const beganMs = performance.now();
      const waited = await json(`https://localhost:${hasty.httpsPort}/v1/jobs/${body.job.id}?wait_s=60`);
      expect(waited.job).to.include({ state: 'done' });
      expect(performance.now() - beganMs).to.be.above(60_000 / TIMES_DIVIDED_BY);
    });

    it('passes a live screen on', async () => {
      const headers = { authorization: `Bearer ${running.key}` };
      const address = `${url.replace('http', 'ws')}/v1/devices/phone/live?max_size=240`;
      const socket = new WebSocket(address, { headers, rejectUnauthorized: false });
      const frame = await new Promise<Buffer>((resolve, reject) => {
        socket.on('message', (data: Buffer, isBinary) => isBinary && resolve(data));
        socket.on('error', reject).on('close', (code) => reject(new Error(`closed: ${code}`)));
      });
      socket.close();
      // A JPEG, after two numbers.
      expect(frame.subarray(8, 10).toString('hex')).to.equal('ffd8');
    });

    it('passes an upload of 100 MiB on', async () => {
      const other = { name: 'main.obb', bytes: randomBytes(UPLOAD_BYTES), stored: true };
      const path = join(folder, 'app.xapk');
      writeFileSync(path, zipOf([{ name: 'app.apk', bytes: readFileSync(APK), stored: true }, other]));
      const type = ['-H', 'Content-Type: application/octet-stream', '-X', 'POST'];
      const accepted = await json(...type, '--upload-file', path, `${url}/v1/devices/phone/apk`);
      expect(accepted, JSON.stringify(accepted)).to.have.property('job');
      const { job } = await json(`${url}/v1/jobs/${accepted.job.id}?wait_s=60`);
      expect(job).to.deep.include({ state: 'done', result: { package: 'com.example.fixture', version: '1.2.3' } });
    });
  });
}
