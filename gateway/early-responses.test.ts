import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { ApiError } from '../kit/errors/api-error.js';
import { ServerCertificate } from '../kit/https/server-certificate.js';
import { silentLog } from '../kit/log/log.js';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { selfSigned } from '../testing/self-signed.js';
import { until } from '../testing/until.js';
import type { EdgeLimits } from './limits.js';

const MB = 1_000_000;
const PIECE = Buffer.alloc(MB, 0x20);
const PATH = (name: string): string => `/v1/devices/${name}/files/content?path=/sdcard/a`;

/** Refusals of an upload, by the name of its device. */
const REFUSED = { none: 404, busy: 409, stranger: 401 } as const;
const NAMES = Object.keys(REFUSED) as (keyof typeof REFUSED)[];

/** Requests of these kinds make Node close the connection after the response. */
const CLOSING = {
  'with Expect: 100-continue': 'HTTP/1.1\r\nExpect: 100-continue',
  'with Connection: close': 'HTTP/1.1\r\nConnection: close',
  'in HTTP/1.0': 'HTTP/1.0',
};

describe('a response that is sent before its request has come in', () => {
  const opened: { close(): Promise<void> | void }[] = [];
  afterEach(async () => {
    for (let part = opened.pop(); part !== undefined; part = opened.pop()) await part.close();
  });

  function temporaryFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'early-'));
    opened.push({ close: () => rmSync(folder, { recursive: true }) });
    return folder;
  }

  async function edge(scheme: 'http' | 'https', limits: Partial<EdgeLimits> = {}): Promise<EdgeWorld> {
    let certificate: ServerCertificate | undefined;
    if (scheme === 'https') {
      const folder = temporaryFolder();
      const { cert, key } = selfSigned();
      const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
      writeFileSync(files.certFile, cert);
      writeFileSync(files.keyFile, key);
      certificate = new ServerCertificate({ ...files, clock: systemClock, log: silentLog });
      opened.push(certificate);
    }
    const writeFile = async (messages: AsyncIterable<{ name: string }>): Promise<never> => {
      for await (const { name } of messages) {
        if (name === 'busy') throw new ApiError('busy', 'The device is busy.');
        throw new ApiError('not_found', 'There is no such device.');
      }
      throw new Error('the upload has no first message');
    };
    const world = await startEdge({ file: { writeFile } }, { limits, ...(certificate && { certificate }) });
    opened.push(world);
    return world;
  }

  /** Opens a connection that reads nothing until the test does. */
  async function connect({ port, base }: EdgeWorld): Promise<Socket> {
    const to = { port, host: '127.0.0.1' };
    const isSecure = base.startsWith('https');
    const socket = isSecure ? connectTls({ ...to, rejectUnauthorized: false }) : connectTcp(to);
    socket.on('error', () => undefined);
    opened.push({ close: () => void socket.destroy() });
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return socket;
  }

  function headOf(name: keyof typeof REFUSED, form: string, bytes: number): string {
    const authorization = name === 'stranger' ? '' : `Authorization: Bearer ${CONTROL_KEY}\r\n`;
    return `PUT ${PATH(name)} ${form}\r\nHost: x\r\n${authorization}Content-Length: ${bytes}\r\n\r\n`;
  }

  for (const scheme of ['http', 'https'] as const)
    for (const [what, form] of Object.entries(CLOSING))
      it(`reaches a client that reads when it has sent all, ${what}, over ${scheme}`, async () => {
        const world = await edge(scheme);
        const read = NAMES.flatMap((name) => [8, 20].map(async (megabytes) => {
          const socket = await connect(world);
          socket.write(headOf(name, form, megabytes * MB));
          await sendAll(socket, megabytes);
          expect(await allOf(socket), `${name}, ${megabytes} MB`)
            .to.match(new RegExp(`^HTTP/1.1 ${REFUSED[name]} [^]*"message":".+"}$`))
            .and.match(/^connection: close\r$/im);
        })); // prettier-ignore
        await Promise.all(read);
      });

  for (const megabytes of [8, 20, 60])
    it(`reaches a client of HTTP/2 that sends ${megabytes} MB`, async () => {
      const world = await edge('https');
      const session = connectHttp2(world.base, { rejectUnauthorized: false });
      opened.push({ close: () => session.destroy() });
      session.on('error', () => undefined);
      for (const name of NAMES) {
        const authorization = name === 'stranger' ? {} : { authorization: `Bearer ${CONTROL_KEY}` };
        const to = { ':method': 'PUT', ':path': PATH(name), ':authority': 'x', ...authorization };
        const stream = session.request({ ...to, expect: '100-continue' });
        const ended = once(stream, 'end');
        let text = '';
        stream.on('response', (headers) => (text = `${headers[':status']} `));
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        for (let sent = 0; sent < megabytes && !stream.destroyed; sent++)
          await new Promise<void>((resolve) => stream.write(PIECE, () => resolve()));
        stream.end();
        await ended;
        expect(text).to.match(new RegExp(`^${REFUSED[name]} .*"message":".+"}$`));
        if (!stream.closed) await once(stream, 'close');
        expect(stream.rstCode).to.equal(constants.NGHTTP2_NO_ERROR);
      }
    });

  for (const [what, limits, betweenMs] of [
    ['stalls', { discardStallMs: 50 }, Infinity],
    ['goes on for long', { discardWaitMs: 200, discardBeginMs: 5_000, discardStallMs: 5_000 }, 5],
  ] as const)
    it(`does not wait for a body that ${what}`, async () => {
      const socket = await connect(await edge('http', limits));
      socket.write(headOf('none', 'HTTP/1.1', 20 * MB) + ' ');
      const more = setInterval(() => betweenMs < Infinity && socket.write(' '), Math.min(betweenMs, 1_000));
      opened.push({ close: () => clearInterval(more) });
      expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 404 /);
    });

  it('ends a connection whose client never ends its body', async () => {
    const world = await edge('http', { maxDiscardBytes: 100_000, discardLingerMs: 200 });
    const socket = await connect(world);
    socket.write(headOf('stranger', CLOSING['with Expect: 100-continue'], 1_000 * MB));
    const text = allOf(socket);
    await sendAll(socket, 1_000);
    expect(socket.bytesWritten).to.be.below(100 * MB);
    expect(await text).to.match(/^HTTP\/1.1 401 /);
  });

  it('ends a connection whose client sends nothing of its body and does not hang up', async () => {
    const world = await edge('http', { discardTimeoutMs: 300 });
    const socket = connectTcp({ port: world.port, host: '127.0.0.1', allowHalfOpen: true });
    opened.push({ close: () => void socket.destroy() });
    let isReset = false;
    socket.on('error', () => (isReset = true));
    socket.write(headOf('stranger', CLOSING['with Expect: 100-continue'], MB));
    expect(await textUntilEnd(socket)).to.match(/^HTTP\/1.1 401 /);
    await until(() => {
      socket.write(' ');
      return isReset;
    });
  });

  for (const [what, flags] of [
    ['HTTP/1.1', ['--http1.1', '-H', 'Expect: 100-continue']],
    ['HTTP/1.1 without Expect', ['--http1.1', '-H', 'Expect:']],
    ['HTTP/2', ['--http2']],
    ['HTTP/2 with Expect', ['--http2', '-H', 'Expect: 100-continue']],
  ] as const)
    it(`reaches curl over ${what}`, async () => {
      const world = await edge('https');
      const file = join(temporaryFolder(), 'body');
      // The file is larger than what is dropped, together with all that is in buffers on the way.
      writeFileSync(file, Buffer.alloc(40 * MB));
      for (const name of NAMES) {
        const key = name === 'stranger' ? [] : ['-H', `Authorization: Bearer ${CONTROL_KEY}`];
        const words = ['-sk', ...flags, '-H', 'Host: x', ...key, '-T', file, '-w', '\n%{http_code}', world.base + PATH(name)]; // prettier-ignore
        const { stdout } = await promisify(execFile)('curl', words);
        expect(stdout).to.match(new RegExp(`"message":".+"}\n${REFUSED[name]}$`));
      }
    });

  for (const [what, bytes, status] of [
    ['a broken chunk', `POST /v1/devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['headers that are too large', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['a handshake', 'GET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 404],
  ] as const)
    it(`reaches a client that reads when it has sent 8 MB after ${what}`, async () => {
      const socket = await connect(await edge('http'));
      socket.write(bytes);
      await sendAll(socket, 8);
      expect(await allOf(socket)).to.match(new RegExp(`^HTTP/1.1 ${status} [^]*"message":".+"}$`));
    });
});

/** Sends this many MB. Returns when they are on their way, or the connection has ended. */
async function sendAll(socket: Socket, megabytes: number): Promise<void> {
  for (let sent = 0; sent < megabytes && !socket.destroyed; sent++)
    await new Promise<void>((resolve) => socket.write(PIECE, () => resolve()));
}

/** Returns everything that a connection sends until its end, and hangs up. */
async function allOf(socket: Socket): Promise<string> {
  const text = await textUntilEnd(socket);
  socket.destroy();
  return text;
}

async function textUntilEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  const ended = new Promise<void>((resolve) => socket.once('end', resolve).once('close', () => resolve()));
  if (!socket.destroyed) await ended;
  return text;
}
