import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Clock, systemClock } from '../kit/async/clock.js';
import { MAX_EARLY_RESETS } from '../kit/https/bound-session.js';
import { ServerCertificate } from '../kit/https/server-certificate.js';
import { silentLog } from '../kit/log/log.js';
import { CONTROL_KEY, type EdgeWorld, type FakeServices, startEdge } from '../testing/edge-world.js';
import { selfSigned } from '../testing/self-signed.js';
import { until } from '../testing/until.js';
import type { EdgeLimits } from './limits.js';

const AUTHORIZATION = { authorization: `Bearer ${CONTROL_KEY}` };
const HSTS = 'max-age=31536000';

/** The body of a request that is refused only because of its model. */
const VALID = JSON.stringify({ model: 'p', network: { type: 'mobile', country: 'de' }, plan: 'minute' });

/** Frames of HTTP/2, by their numbers in RFC 9113. */
const [DATA, HEADERS, RST_STREAM, SETTINGS] = [0, 1, 3, 4];
const [END_STREAM, END_HEADERS] = [1, 4];
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** Stands in place of an error code: the whole connection ends. */
const NONE = -1;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Returns a header as a literal of HPACK; each text must be shorter than 127 bytes. */
function literal([name, value]: [string, string]): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

describe('the edge with a certificate', () => {
  const opened: { close(): Promise<void> | void }[] = [];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-https-'));
    opened.push({ close: () => rmSync(folder, { recursive: true }) });
  });
  afterEach(async () => {
    for (let part = opened.pop(); part !== undefined; part = opened.pop()) await part.close();
  });

  async function edge(
    services: FakeServices = {},
    limits: Partial<EdgeLimits> = {},
    clock?: Clock,
  ): Promise<EdgeWorld> {
    replace(selfSigned());
    const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    const certificate = new ServerCertificate({ ...files, clock: systemClock, log: silentLog });
    opened.push(certificate);
    const all = { device: { getDevice: ({ name }: { name: string }) => ({ device: { name } }) }, ...services };
    const world = await startEdge(all, { limits, certificate, ...(clock && { clock }) });
    opened.push(world);
    return world;
  }

  /** Replaces both files, each in one step. */
  function replace({ cert, key }: { cert: string; key: string }): void {
    for (const [name, text] of [
      ['cert.pem', cert],
      ['key.pem', key],
    ] as const) {
      // prettier-ignore
      writeFileSync(join(folder, `${name}.new`), text);
      renameSync(join(folder, `${name}.new`), join(folder, name));
    }
  }

  function http2({ base }: EdgeWorld): ClientHttp2Session {
    const session = connectHttp2(base, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    opened.push({ close: () => session.destroy() });
    return session;
  }

  /** Opens a TLS connection. `first` is sent with the end of the handshake, when time limits of requests have begun. */
  async function tls({ port }: EdgeWorld, options: object = {}, first = ''): Promise<TLSSocket> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    if (first !== '') socket.write(first);
    opened.push({ close: () => void socket.destroy() });
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    return socket;
  }

  for (const [version, flag] of [
    ['1.1', '--http1.1'],
    ['2', '--http2'],
  ] as const) {
    // prettier-ignore
    it(`serves curl over HTTP/${version}, with Strict-Transport-Security`, async () => {
      const world = await edge();
      const curl = ['-sk', flag, '-i', '-H', `Authorization: ${AUTHORIZATION.authorization}`];
      const { stdout } = await promisify(execFile)('curl', [...curl, `${world.base}/v1/devices/a`]);
      expect(stdout).to.match(new RegExp(`^HTTP/${version} 200`));
      expect(stdout.toLowerCase()).to.include(`strict-transport-security: ${HSTS}\r\n`);
      expect(stdout).to.include('"name":"a"');
    });
  }

  it('sends no Strict-Transport-Security without one', async () => {
    const world = await startEdge();
    opened.push(world);
    expect((await world.call('/v1/devices/a')).headers.has('strict-transport-security')).to.equal(false);
  });

  it('takes bodies, refuses large ones and reports errors over HTTP/2 in our form', async () => {
    const world = await edge({ device: { createDevice: () => ({ job: { id: 'job_1' } }) } });
    const session = http2(world);
    const post = { ':method': 'POST', ':path': '/v1/devices', ...AUTHORIZATION, 'content-type': 'application/json' };
    expect(await send(session, post, VALID)).to.include({ status: 202 });
    expect(await send(session, post, ' '.repeat(2 * 1024 * 1024))).to.include({ status: 413 });
    const refused = await send(session, { ':path': '/v1/devices' });
    expect(refused.status).to.equal(401);
    expect(refused.body).to.match(/^\{"error":"unauthorized","message":/);
    expect((await send(session, { ':path': '/v1/nothing', ...AUTHORIZATION })).status).to.equal(404);
  });

  it('begins few of the requests that a client of HTTP/2 resets immediately, and ends its connection after a few hundred', async () => {
    let begun = 0;
    const getDevice = ({ name }: { name: string }): object => (begun++, { device: { name } });
    const world = await edge({ device: { getDevice } });
    const socket = await tls(world, { ALPNProtocols: ['h2'] });
    socket.resume();
    const closed = once(socket, 'close');
    const headers = Buffer.concat(
      Object.entries({
        ':method': 'GET',
        ':scheme': 'https',
        ':path': '/v1/devices/a',
        ':authority': 'x',
        ...AUTHORIZATION,
      }).map(literal),
    );
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
    // The library itself allows more than this number, so the test is of our own bound.
    const requests = Array.from({ length: 3 * MAX_EARLY_RESETS }, (_, at) => [
      frame(HEADERS, END_HEADERS | END_STREAM, 2 * at + 1, headers),
      frame(RST_STREAM, 0, 2 * at + 1, cancel),
    ]);
    socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0)), ...requests.flat()]));
    await closed;
    expect(begun).to.be.at.most(20);
    expect((await send(http2(world), { ':path': '/v1/devices/a', ...AUTHORIZATION })).status).to.equal(200);
  });

  it('does not take half a body for a request when a client of HTTP/2 cuts it off', async () => {
    let created = 0;
    const createDevice = (): object => ({ job: { id: `job_${created++}` } });
    const world = await edge({ device: { createDevice } });
    const headers = {
      ':method': 'POST',
      ':scheme': 'https',
      ':authority': 'x',
      ':path': '/v1/devices',
      ...AUTHORIZATION,
    };
    const isCounted = async (count: number): Promise<boolean> =>
      (await world.metrics.metrics()).includes(`status="499"} ${count}\n`);
    for (const [at, code] of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR, NONE].entries()) {
      // The frames are written by hand, as Node's client ends the body before it cuts the stream.
      const socket = await tls(world, { ALPNProtocols: ['h2'] });
      const block = Object.entries({ ...headers, 'content-type': 'application/json' }).map(literal);
      socket.write(PREFACE);
      socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)));
      socket.write(frame(HEADERS, END_HEADERS, 1, Buffer.concat(block)));
      socket.write(frame(DATA, 0, 1, Buffer.from(VALID)));
      if (code === NONE) socket.end();
      else socket.write(frame(RST_STREAM, 0, 1, Buffer.from([0, 0, 0, code])));
      await until(() => isCounted(at + 1));
      socket.destroy();
    }
    expect(created).to.equal(0);
  });

  it('checks the host of HTTP/2, which a Host header beside it does not change', async () => {
    const session = http2(await edge());
    const asked = { ':path': '/v1/devices/a', ...AUTHORIZATION };
    expect((await send(session, { ...asked, ':authority': 'x' })).status).to.equal(200);
    expect((await send(session, { ...asked, ':authority': 'evil.example' })).status).to.equal(403);
    expect((await send(session, { ...asked, ':authority': 'evil.example', host: 'x' })).status).to.equal(400);
    expect((await send(session, { ...asked, ':authority': 'x', host: 'evil.example' })).status).to.equal(400);
    expect((await send(session, { ...asked, ':authority': 'x', host: 'x' })).status).to.equal(200);
  });

  it('takes as much of headers over HTTP/2 as over HTTP/1.1', async () => {
    const world = await edge();
    const session = http2(world);
    const ask = { ':path': '/v1/devices/a', ':authority': 'x', ...AUTHORIZATION };
    expect((await send(session, { ...ask, 'x-long': 'a'.repeat(15_000) })).status).to.equal(200);
    const refused = await send(session, { ...ask, 'x-long': 'a'.repeat(16 * 1024) });
    expect(refused.status).to.equal(431);
    expect(JSON.parse(refused.body)).to.have.property('error', 'too_large');
    expect(refused.headers).to.have.property('x-request-id').that.matches(/^req_/);
    const parts = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`x-part-${at}`, 'a'.repeat(4_000)]));
    expect((await send(session, { ...ask, ...parts })).status).to.equal(431);
  });

  it('has no ciphers of TLS 1.2 without forward secrecy, nor such with CBC', async () => {
    const world = await edge();
    for (const ciphers of [
      'AES128-SHA',
      'AES128-GCM-SHA256',
      'ECDHE-RSA-AES128-SHA',
      'ECDHE-RSA-AES128-SHA256',
      'ECDHE-ECDSA-AES128-SHA',
    ]) {
      const failure: unknown = await tls(world, { maxVersion: 'TLSv1.2', ciphers }).catch((error: unknown) => error);
      expect(failure, ciphers).to.be.instanceOf(Error);
    }
    const suite = (await tls(world, { maxVersion: 'TLSv1.2' })).getCipher().name;
    expect(suite).to.match(/^ECDHE-\w+-(AES\d+-GCM|CHACHA20)/);
  });

  it('refuses TLS before 1.2', async () => {
    const world = await edge();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    const failure: unknown = await tls(world, old).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((await tls(world, { maxVersion: 'TLSv1.2' })).getProtocol()).to.equal('TLSv1.2');
  });

  it('closes connections whose handshake does not come in, ten times as many as the bound', async () => {
    const most = 5;
    const world = await edge({}, { maxConnectionsOfAddress: most, headersTimeoutMs: 1_000 });
    const silent = await Promise.all(Array.from({ length: 10 * most }, () => tcp(world)));
    const closed = silent.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    // Only the first bytes of a handshake are sent. This is no activity that would delay the end.
    for (const socket of silent) socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
    await Promise.all(closed);
    const socket = await tls(world);
    socket.write(`GET /v1/devices/a HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTHORIZATION.authorization}\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 200 /);
  });

  it('drops the connections beyond the bound, handshakes included', async () => {
    const world = await edge({}, { maxConnectionsOfAddress: 2 });
    await Promise.all([tcp(world), tcp(world)]);
    const further: unknown = await tls(world).catch((error: unknown) => error);
    expect(further).to.be.instanceOf(Error);
  });

  it('closes connections of HTTP/1.1 whose headers do not come in', async () => {
    const world = await edge({}, { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 });
    const socket = await tls(world, {}, 'GET /v1/models HTTP/1.1\r\nHost: x\r\n');
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1.1 408 /);
  });

  it('closes connections of HTTP/2 without a request, however many pings they send', async () => {
    const world = await edge({}, { headersTimeoutMs: 1_000, keepAliveTimeoutMs: 100 });
    const silent = http2(world);
    const pings = setInterval(() => { if (!silent.destroyed) silent.ping(() => undefined); }, 20); // prettier-ignore
    opened.push({ close: () => clearInterval(pings) });
    await once(silent, 'close');
    const used = http2(world);
    expect((await send(used, { ':path': '/v1/devices/a', ...AUTHORIZATION })).status).to.equal(200);
    await once(used, 'close');
  });

  it('ends a request of HTTP/2 whose client does not read the response, and no other one', async () => {
    const services = { device: { getDevice: ({ name }: { name: string }) => ({ device: { name: name.repeat(1_000_000) } }) } }; // prettier-ignore
    const session = http2(await edge(services, { silenceMs: 100 }));
    const stream = session.request({ ':path': '/v1/devices/a', ...AUTHORIZATION });
    stream.pause();
    stream.on('error', () => undefined);
    const closed = once(stream, 'close');
    await once(stream, 'response');
    await closed;
    expect(stream.rstCode).to.not.equal(0);
    expect((await send(session, { ':path': '/v1/nothing', ...AUTHORIZATION })).status).to.equal(404);
  });

  it('lets requests of HTTP/2 end when it closes, and waits for no handshake', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let onCall: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (onCall = resolve));
    const getDevice = async ({ name }: { name: string }): Promise<object> => {
      onCall();
      await finished;
      return { device: { name } };
    };
    const world = await edge({ device: { getDevice } }, { drainTimeoutMs: 60_000, drainGraceMs: 20 });
    await tcp(world);
    const session = http2(world);
    const response = send(session, { ':path': '/v1/devices/a', ...AUTHORIZATION });
    await called;
    const goneAway = once(session, 'goaway');
    const closed = world.close();
    await goneAway;
    finish();
    expect((await response).status).to.equal(200);
    await closed;
  });

  it('gives new connections the renewed certificate, and fails no request meanwhile', async () => {
    const world = await edge();
    const kept = http2(world);
    const before = (await tls(world)).getPeerX509Certificate()?.fingerprint256;
    let done = false;
    let requests = 0;
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!done) {
          const session = http2(world);
          const { status } = await send(session, { ':path': '/v1/devices/a', ...AUTHORIZATION });
          if (status !== 200) throw new Error(`status ${status}`);
          session.close();
          requests++;
        }
      }),
    );
    const { cert, key } = selfSigned();
    // This is what certbot does: it writes one file, and a moment later the other.
    writeFileSync(join(folder, 'cert.pem'), cert);
    const renewedAt = requests;
    await until(() => requests > renewedAt + 50);
    expect((await tls(world)).getPeerX509Certificate()?.fingerprint256).to.equal(before);
    writeFileSync(join(folder, 'key.pem'), key);
    await until(async () => (await tls(world)).getPeerX509Certificate()?.fingerprint256 !== before);
    done = true;
    await load;
    expect((await send(kept, { ':path': '/v1/devices/a', ...AUTHORIZATION })).status).to.equal(200);
  });

  async function tcp({ port }: EdgeWorld): Promise<Socket> {
    const socket = connectTcp(port, '127.0.0.1');
    opened.push({ close: () => void socket.destroy() });
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    return socket;
  }
});

interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Makes a request over HTTP/2. */
async function send(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Received> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [response] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status': number }];
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return { status: response[':status'], headers: response, body: text };
}
