import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { systemClock } from '../../../kit/clock.js';
import { RefusedTarget } from '../../../kit/guarded-connect.js';
import type { PhoneExit } from '../../driver.js';
import { createPhoneNetwork, FetchTimeout } from './phone-network.js';

const EXIT: PhoneExit = { type: 'custom', country: 'de', timezone: 'Europe/Berlin' };

describe('the phone’s network', () => {
  let site: Server;
  let origin: string;
  const seen: IncomingMessage[] = [];

  before(async () => {
    site = createServer((request, response) => {
      seen.push(request);
      switch (request.url) {
        case '/moved':
          response.writeHead(302, { location: '/final' }).end('ignored');
          return;
        case '/loop':
          response.writeHead(302, { location: '/loop' }).end();
          return;
        case '/private':
          response.writeHead(302, { location: 'file:///etc/passwd' }).end();
          return;
        case '/large':
          response.writeHead(200, { 'content-type': 'text/plain' });
          response.end('x'.repeat(5_000_000));
          return;
        case '/latin':
          response.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' }).end(Buffer.from([0xe9]));
          return;
        case '/slow':
          return;
        default:
          response.writeHead(200, { 'content-type': 'text/plain' }).end('final');
      }
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });

  after(() => {
    site.closeAllConnections();
    site.close();
  });

  const network = (proxy?: string, allowPrivateTargets = true): ReturnType<typeof createPhoneNetwork> =>
    createPhoneNetwork(
      { ...EXIT, ...(proxy === undefined ? {} : { proxy }) },
      { clock: systemClock, allowPrivateTargets },
    );
  const fetchText = (url: string, proxy?: string): Promise<{ status: number; text: string }> =>
    network(proxy).fetchText(url, { maxBytes: 1000 });
  const failure = async (work: Promise<unknown>): Promise<Error> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Error)) throw new Error('it did not fail');
    return error;
  };

  it('follows redirects, a few', async () => {
    expect(await fetchText(`${origin}/moved`)).to.include({ status: 200, text: 'final' });
    expect((await failure(fetchText(`${origin}/loop`))).message).to.contain('redirects more than 5 times');
  });

  it('keeps at most as many bytes as were asked for', async () => {
    expect((await fetchText(`${origin}/large`)).text).to.equal('x'.repeat(1000));
  });

  it('decodes by the page’s charset', async () => {
    expect((await fetchText(`${origin}/latin`)).text).to.equal('é');
  });

  it('refuses private targets, also behind a redirect or another scheme', async () => {
    const guarded = network(undefined, false);
    expect(await failure(guarded.fetchText(`${origin}/`, { maxBytes: 10 }))).to.be.instanceOf(RefusedTarget);
    expect(await failure(fetchText(`${origin}/private`))).to.be.instanceOf(RefusedTarget);
    const proxied = network('http://127.0.0.1:9', false);
    expect(await failure(proxied.fetchText('http://example.com/', { maxBytes: 10 }))).to.be.instanceOf(RefusedTarget);
  });

  it('gives up after 15 seconds, and when its caller does', async () => {
    const clock = new FakeClock();
    const slow = createPhoneNetwork(EXIT, { clock, allowPrivateTargets: true });
    const count = seen.length;
    const waiting = failure(slow.fetchText(`${origin}/slow`, { maxBytes: 10 }));
    while (seen.length === count) await new Promise((resolve) => setImmediate(resolve));
    clock.turn(15_000);
    expect(await waiting).to.be.instanceOf(FetchTimeout);
    expect(clock.timers).to.equal(0);
    const abort = new AbortController();
    const aborted = failure(slow.fetchText(`${origin}/slow`, { maxBytes: 10, signal: abort.signal }));
    abort.abort(new Error('left'));
    expect((await aborted).message).to.equal('left');
  });

  it('goes through an http proxy with its user and password', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createServer((incoming, outgoing) => {
      asked.push(incoming.url, incoming.headers['proxy-authorization']);
      const forwarded = httpRequest(incoming.url ?? '', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const { text } = await fetchText(`${origin}/`, `http://us%40er:pass@127.0.0.1:${port}`);
    proxy.close();
    expect(text).to.equal('final');
    expect(asked).to.deep.equal([`${origin}/`, `Basic ${Buffer.from('us@er:pass').toString('base64')}`]);
  });

  it('goes through a socks5 proxy with its user and password', async () => {
    const logins: string[] = [];
    const proxy = await socksProxy(logins);
    const { port } = proxy.address() as AddressInfo;
    expect((await fetchText(`${origin}/`, `socks5://user:pass@127.0.0.1:${port}`)).text).to.equal('final');
    expect(logins).to.deep.equal(['user:pass']);
    await failure(fetchText(`${origin}/`, `socks5://user:wrong@127.0.0.1:${port}`));
    proxy.close();
  });
});

/** The least of a socks5 server: user and password, CONNECT to an IPv4 address or a name. */
async function socksProxy(logins: string[]): Promise<TcpServer> {
  const server = createTcpServer((socket) => void serve(socket, logins));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function serve(socket: Socket, logins: string[]): Promise<void> {
  socket.on('error', () => socket.destroy());
  const next = (): Promise<Buffer> => new Promise((resolve) => socket.once('data', resolve));
  await next();
  socket.write(Buffer.from([5, 2]));
  const login = await next();
  const user = login.subarray(2, 2 + (login[1] ?? 0)).toString();
  const password = login.subarray(3 + user.length).toString();
  if (password !== 'pass') {
    socket.end(Buffer.from([1, 1]));
    return;
  }
  logins.push(`${user}:${password}`);
  socket.write(Buffer.from([1, 0]));
  const wanted = await next();
  const named = wanted[3] === 3;
  const host = named ? wanted.subarray(5, 5 + (wanted[4] ?? 0)).toString() : wanted.subarray(4, 8).join('.');
  const port = wanted.readUInt16BE(wanted.length - 2);
  const target = connect(port, host, () => {
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
}
