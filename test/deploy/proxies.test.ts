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
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { AdbClient } from '../relay/adb-client.js';
import { openTunnelPort } from '../relay/tunnel-port.js';
import { carryOver, openTunnel } from '../relay/tunnel-socket.js';
import { RestClient } from '../rest-client.js';
import { type DocumentedProxy, type Ports, proxyPorts, type ProxyKind, startDocumentedProxy } from './documented-proxy.js'; // prettier-ignore

const START = fileURLToPath(new URL('../../start.js', import.meta.url));
const APK = new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url);
const UPLOAD_BYTES = 100 * 1024 ** 2;

/** In four at a time. */
const REFUSED_UPLOADS = 120;

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
      const environment = {
        PUBLIC_URL: url,
        BEHIND_PROXY: 'on',
        SIMULATED_BOOT_MS: String(BOOT_MS),
      };
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

    it('passes MCP on, as JSON and as a stream', async () => {
      const post = (params: object): Promise<string> => {
        const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
        return curl('-i', '-H', 'Content-Type: application/json', '-d', message, `${url}/mcp`);
      };
      const call = { name: 'list_devices', arguments: {} };
      expect(await post(call)).to.match(/^HTTP\/2 200/).and.match(/^content-type: application\/json/im).and.include('"phone'); // prettier-ignore
      const stream = await post({ ...call, _meta: { progressToken: 1 } });
      expect(stream)
        .to.match(/^content-type: text\/event-stream/im)
        .and.match(/^data: \{.*phone/m);
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

    it('passes a stock adb on', async function () {
      if (!AdbClient.isThere()) skip(this, NEEDS_ADB);
      const direct = new RestClient(running.baseUrl.replace('/v1', ''), running.key);
      expect((await direct.post('/v1/devices/phone/adb', { tunnel: true })).status).to.equal(200);
      const tunnels = await openTunnelPort((client) => carryOver(client, openTunnel(url, 'phone', running.key)));
      const adb = await AdbClient.start();
      try {
        const serial = `127.0.0.1:${tunnels.port}`;
        await adb.connectAnew(serial);
        const bytes = randomBytes(3_000_000);
        expect((await adb.with({ input: bytes }, '-s', serial, 'shell', 'cat')).bytes.equals(bytes)).to.equal(true);
      } finally {
        await adb.close();
        tunnels.close();
      }
    });

    it('passes on the response of every refused upload', async () => {
      const direct = new RestClient(running.baseUrl.replace('/v1', ''), running.key);
      const network = { type: 'direct', country: 'us' };
      await direct.post('/v1/devices', { name: 'off', model: 'phone-720p', network, plan: 'minute', start: false });
      await until(async () => (await direct.get('/v1/devices/off')).body.device.state === 'stopped');
      const refused = { off: 409, nothing: 404, other: 401 };
      const lost: string[] = [];
      const upload = async (at: number): Promise<void> => {
        const [name, status] = Object.entries(refused)[at % 3]!;
        const bytes = 8_000_000 + (at % 13) * 1_000_000;
        const path = join(folder, `body-${bytes}`);
        writeFileSync(path, Buffer.alloc(bytes));
        const words = [at % 2 === 0 ? '--http1.1' : '--http2', '-H', 'Expect: 100-continue', '-H', `Authorization: Bearer ${name === 'other' ? 'cp_other' : running.key}`]; // prettier-ignore
        const type = ['-H', 'Content-Type: application/octet-stream', '-X', 'POST', '--upload-file', path];
        const to = `${url}/v1/devices/${name}/apk`;
        const report = await promisify(execFile)('curl', ['-sk', ...words, ...type, '-w', '\n%{http_code}', to]).then(
          ({ stdout }) => stdout,
          (error: unknown) => String(error),
        );
        if (!new RegExp(`"message":.+\n${status}$`).test(report)) lost.push(`${at}, ${name}, ${bytes}: ${report}`);
      };
      for (let at = 0; at < REFUSED_UPLOADS; at += 4) await Promise.all([at, at + 1, at + 2, at + 3].map(upload));
      expect(lost).to.deep.equal([]);
    });

    it('passes an upload of 100 MiB on', async () => {
      const other = { name: 'main.obb', bytes: randomBytes(UPLOAD_BYTES), stored: true };
      const path = join(folder, 'app.xapk');
      writeFileSync(path, zipOf([{ name: 'app.apk', bytes: readFileSync(APK), stored: true }, other]));
      const type = ['-H', 'Content-Type: application/octet-stream', '-X', 'POST'];
      const accepted = await json(...type, '--upload-file', path, `${url}/v1/devices/phone/apk`);
      expect(accepted, JSON.stringify(accepted)).to.have.property('job');
      const { job } = await json(`${url}/v1/jobs/${accepted.job.id}?wait_s=60`);
      expect(job).to.include({ state: 'done' });
      expect(job.result).to.deep.include({ package: 'com.example.fixture', installed: ['app.apk'] });
    });
  });
}
