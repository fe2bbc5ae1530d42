import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { selfSigned } from '../../testing/self-signed.js';
import { STALLING_BYTES, stalledRequest } from '../../testing/stalled-request.js';
import { until } from '../../testing/until.js';
import { systemClock } from '../async/clock.js';
import { silentLog } from '../log/log.js';
import { END_MS } from './bound-session.js';
import { HttpsServer } from './https-server.js';
import { ServerCertificate } from './server-certificate.js';

const LONG_MS = 60_000;
const LIMITS = { handshakeMs: LONG_MS, headersMs: LONG_MS, maxHeadersBytes: 16_384, idleMs: LONG_MS, requestMs: LONG_MS, silenceMs: LONG_MS }; // prettier-ignore

describe('HttpsServer, with a client of HTTP/2 whose connection takes nothing more', () => {
  const opened: (() => void)[] = [];
  afterEach(() => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) close();
  });

  async function serve(limits: Partial<typeof LIMITS>): Promise<HttpsServer> {
    const folder = mkdtempSync(join(tmpdir(), 'https-'));
    opened.push(() => rmSync(folder, { recursive: true }));
    const { cert, key } = selfSigned();
    const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    const certificate = new ServerCertificate({ ...files, clock: systemClock, log: silentLog });
    opened.push(() => certificate.close());
    const server = new HttpsServer({ certificate, http: {}, limits: { ...LIMITS, ...limits }, clock: systemClock });
    server.on('request', (_request, response) => response.end(Buffer.alloc(STALLING_BYTES)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return server;
  }

  /** Has a client ask for a response, and read nothing of its connection. */
  async function stall(server: HttpsServer): Promise<void> {
    opened.push(await stalledRequest('https', (server.address() as AddressInfo).port));
  }

  const connections = (server: HttpsServer): Promise<number> =>
    new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );

  it('closes the connection when nothing has moved for too long', async () => {
    const server = await serve({ silenceMs: 100 });
    await stall(server);
    expect(await connections(server)).to.equal(1);
    await until(async () => (await connections(server)) === 0, END_MS + 10_000);
  });

  it('closes the connection at the end of a stop', async () => {
    const server = await serve({});
    await stall(server);
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    server.closeAllConnections();
    await closed;
  });
});
