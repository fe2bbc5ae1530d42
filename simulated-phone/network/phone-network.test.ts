import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { systemClock } from '../../kit/async/clock.js';
import { RefusedTarget } from '../../kit/net/guarded-connect.js';
import type { PhoneExit } from '../../phone/driver.js';
import { EXIT_FAULT_HEADER } from '../../phone/exit-fault.js';
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

  const network = (forwarder?: string, allowPrivateTargets = true): ReturnType<typeof createPhoneNetwork> =>
    createPhoneNetwork(
      { ...EXIT, ...(forwarder === undefined ? {} : { forwarder }) },
      { clock: systemClock, allowPrivateTargets },
    );
  const fetchText = (url: string, forwarder?: string): Promise<{ status: number; text: string }> =>
    network(forwarder).fetchText(url, { maxBytes: 1000 });
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

  it('keeps at most the requested number of bytes', async () => {
    expect((await fetchText(`${origin}/large`)).text).to.equal('x'.repeat(1000));
  });

  it('decodes by the page’s charset', async () => {
    expect((await fetchText(`${origin}/latin`)).text).to.equal('é');
  });

  it('refuses private targets, also behind a redirect or another scheme', async () => {
    const guarded = network(undefined, false);
    expect(await failure(guarded.fetchText(`${origin}/`, { maxBytes: 10 }))).to.be.instanceOf(RefusedTarget);
    expect(await failure(fetchText(`${origin}/private`))).to.be.instanceOf(RefusedTarget);
  });

  it('refuses a private proxy, and any where the exit has a forwarder', async () => {
    const proxy = new URL(origin).host;
    const [guarded, forwarded] = [network(undefined, false), network('/nowhere.sock')];
    const options = { maxBytes: 10, proxy };
    expect(await failure(guarded.fetchText('http://example.com/', options))).to.be.instanceOf(RefusedTarget);
    expect((await failure(forwarded.fetchText(origin, options))).message).to.contain('leads to no other proxy');
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

  describe('by a forwarder', () => {
    let forwarder: Server;
    let path: string;
    const asked: string[] = [];

    before(async () => {
      path = join(mkdtempSync(join(tmpdir(), 'cloudphone-network-')), 'exit.sock');
      forwarder = createServer((request, response) => {
        asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
        if (request.url?.includes('fault') === true) response.writeHead(504, { [EXIT_FAULT_HEADER]: 'timeout' }).end();
        else response.writeHead(200, { 'content-type': 'text/plain' }).end('by the forwarder');
      });
      forwarder.on('connect', (request, socket) => {
        asked.push(`CONNECT ${request.url ?? ''}`);
        socket.end('HTTP/1.1 403 refused\r\n\r\n');
      });
      await new Promise<void>((resolve) => forwarder.listen(path, resolve));
    });

    const codeOf = async (url: string): Promise<unknown> =>
      ((await failure(fetchText(url, path))) as NodeJS.ErrnoException).code;

    it('sends everything there, and nothing past it', async () => {
      const count = seen.length;
      expect((await fetchText(`${origin}/`, path)).text).to.equal('by the forwarder');
      expect(await codeOf('https://example.com/')).to.equal('EXIT_REFUSED');
      expect(asked).to.deep.equal([`GET ${origin}/`, 'CONNECT example.com:443']);
      expect(seen.length).to.equal(count);
    });

    it('shows why nothing went out', async () => {
      expect(await codeOf(`${origin}/fault`)).to.equal('EXIT_TIMEOUT');
    });

    it('has no network without it', async () => {
      const count = seen.length;
      forwarder.closeAllConnections();
      await new Promise((resolve) => forwarder.close(resolve));
      for (const url of [`${origin}/`, 'https://example.com/']) expect(await codeOf(url), url).to.equal('EXIT_NONE');
      expect(seen.length).to.equal(count);
      rmSync(dirname(path), { recursive: true });
    });
  });
});
