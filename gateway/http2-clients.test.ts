import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { systemClock } from '../kit/async/clock.js';
import { ServerCertificate } from '../kit/https/server-certificate.js';
import { ApiError } from '../kit/errors/api-error.js';
import { silentLog } from '../kit/log/log.js';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { rpc, toolCall } from '../testing/mcp-client.js';
import { selfSigned } from '../testing/self-signed.js';
import { until } from '../testing/until.js';

const ACT = { device: 'demo', steps: [{ key: 'home' }] };

/** A request whose work lasts until its client goes. */
const WORK = [
  ['a request to the API', '/v1/devices/demo/act', '{"steps":[{"key":{"name":"home"}}]}'],
  ['a call of a tool', '/mcp', toolCall('act', ACT)],
  [
    'a call of a tool with a stream',
    '/mcp',
    rpc('tools/call', { name: 'act', arguments: ACT, _meta: { progressToken: 1 } }),
  ],
] as const;

describe('a client of HTTP/2', () => {
  let folder: string;
  let certificate: ServerCertificate;
  let world: EdgeWorld;
  const signals: AbortSignal[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cloudphone-http2-'));
    const { cert, key } = selfSigned();
    const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    certificate = new ServerCertificate({ ...files, clock: systemClock, log: silentLog });
    const act = (_request: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const device = { listDevices: () => ({ devices: [{ name: 'demo' }] }) };
    const file = {
      async *readFile() {
        yield { file: { name: 'a' } };
        yield { file: { data: Buffer.from('abc') } };
        throw new ApiError('unavailable', 'The phone broke off.');
      },
    };
    world = await startEdge({ screen: { act }, device, file }, { certificate });
  });
  after(async () => {
    await world.close();
    certificate.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => (signals.length = 0));

  const open = (): ClientHttp2Session => {
    const session = connect(world.base, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    return session;
  };
  const post = (session: ClientHttp2Session, path: string, body: string): ClientHttp2Stream => {
    const headers = { authorization: `Bearer ${CONTROL_KEY}`, 'content-type': 'application/json' };
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    stream.on('error', () => undefined).end(body);
    return stream;
  };

  for (const [kind, path, body] of WORK)
    it(`ends the work of ${kind} by cutting it off, or the connection`, async () => {
      const session = open();
      const cutOff = post(session, path, body);
      await until(() => signals.length === 1);
      cutOff.close(constants.NGHTTP2_CANCEL);
      await until(() => signals[0]!.aborted);
      post(session, path, body);
      await until(() => signals.length === 2);
      session.destroy();
      await until(() => signals[1]!.aborted);
    });

  it('notices that a file of unknown size is incomplete', async () => {
    const session = open();
    const headers = {
      authorization: `Bearer ${CONTROL_KEY}`,
      ':path': '/v1/devices/demo/files/content?path=/sdcard/a',
    };
    const stream = session.request(headers);
    const failed = text(stream).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(await failed).to.be.an('error');
    expect(stream.rstCode).to.equal(constants.NGHTTP2_INTERNAL_ERROR);
    session.close();
  });

  it('gets the response to a call of a tool as JSON and as a stream', async () => {
    const session = open();
    expect(await text(post(session, '/mcp', toolCall('list_devices')))).to.match(/^\{"result":.*demo/);
    const streamed = rpc('tools/call', { name: 'list_devices', arguments: {}, _meta: { progressToken: 1 } });
    expect(await text(post(session, '/mcp', streamed))).to.match(/^event: message\ndata: \{"result":.*demo/);
    session.close();
  });
});
