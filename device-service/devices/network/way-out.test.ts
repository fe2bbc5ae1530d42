import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import type { GuardOptions } from '../../../kit/net/guarded-connect.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { RealProxy } from '../../../testing/real-proxy.js';
import { Site } from '../../../testing/site.js';
import { EXIT_CONNECT_MS } from '../limits.js';
import { fetchPage } from './fetch-page.js';
import { parseProxyUrl } from './proxy-url.js';
import type { Upstream } from './upstream.js';
import { WayOut, WayOutError } from './way-out.js';

describe('the way out', () => {
  const going = new AbortController().signal;
  let site: Site;

  before(async () => (site = await Site.start()));
  after(() => site.close());

  const upstreamOf = (url: string, guarded = true): Upstream => {
    const proxy = parseProxyUrl(url);
    if ('fault' in proxy) throw new Error(proxy.fault);
    return { kind: 'proxy', proxy, guarded };
  };
  const way = (guard: Partial<GuardOptions> = {}, proxyCa?: string): WayOut =>
    new WayOut(systemClock, { allowPrivateTargets: true, ...guard }, proxyCa);
  const faultOf = async (work: Promise<unknown>): Promise<string> => {
    const error: unknown = await work.then(
      () => 'none at all',
      (reason: unknown) => reason,
    );
    return error instanceof WayOutError ? error.fault : String(error);
  };
  const login = (user: string, password: string): boolean => user === 'us@er' && password === 'p:ss';

  for (const scheme of ['http', 'https', 'socks5'] as const) {
    it(`goes through an ${scheme} proxy with its login, and names of sites are resolved there`, async () => {
      const proxy = await RealProxy.start({ scheme, login, addressOf: () => '127.0.0.9' });
      const through = way({}, proxy.ca);
      const page = `${site.url.replace('127.0.0.1', 'localhost')}/ip`;
      expect(await fetchPage(through, upstreamOf(proxy.url('us%40er:p:ss@')), page, going)).to.equal('127.0.0.9');
      expect(proxy.passed.map(({ target, user }) => [target.split(':')[0], user])).to.deep.equal([
        ['localhost', 'us@er'],
      ]);
      expect(await faultOf(fetchPage(through, upstreamOf(proxy.url('us%40er:wrong@')), page, going))).to.equal('login');
      expect(await faultOf(fetchPage(through, upstreamOf(proxy.url()), page, going))).to.be.oneOf([
        'login',
        'unreachable',
      ]);
      const port = Number(new URL(site.url).port);
      const tunnel = await through.tunnel(upstreamOf(proxy.url('us%40er:p:ss@')), { host: '127.0.0.1', port }, going);
      expect(proxy.passed.at(-1)).to.include({ method: 'CONNECT', target: `127.0.0.1:${port}` });
      tunnel.destroy();
      await proxy.close();
    });
  }

  it('refuses a certificate that no authority has signed', async () => {
    const proxy = await RealProxy.start({ scheme: 'https' });
    expect(await faultOf(fetchPage(way(), upstreamOf(proxy.url()), `${site.url}/ip`, going))).to.equal('unreachable');
    await proxy.close();
  });

  it('goes nowhere without an exit', async () => {
    const none: Upstream = { kind: 'none', reason: 'not offered' };
    const visits = site.visits.length;
    expect(await faultOf(fetchPage(way(), none, `${site.url}/ip`, going))).to.equal('none');
    expect(await faultOf(way().tunnel(none, { host: '127.0.0.1', port: 1 }, going))).to.equal('none');
    expect(site.visits.length).to.equal(visits);
  });

  describe('guarded', () => {
    const guarded = way({ allowPrivateTargets: false });

    it('connects to no customer’s proxy at a private address, in any spelling', async () => {
      const proxy = await RealProxy.start({ scheme: 'http' });
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '127.1']) {
        const upstream = upstreamOf(`http://${host}:${proxy.port}`);
        expect(await faultOf(fetchPage(guarded, upstream, 'http://example.com/', going)), host).to.equal('unreachable');
      }
      expect(proxy.connections).to.equal(0);
      await proxy.close();
    });

    it('judges a name by the address that it resolves to for this very connection', async () => {
      const proxy = await RealProxy.start({ scheme: 'socks5' });
      let asked = 0;
      const rebinding = way({
        allowPrivateTargets: false,
        lookup: (_host, _options, callback) => {
          asked++;
          callback(null, [{ address: '127.0.0.1', family: 4 }]);
        },
      });
      const upstream = upstreamOf(`socks5://rebind.example:${proxy.port}`);
      expect(await faultOf(rebinding.tunnel(upstream, { host: 'example.com', port: 80 }, going))).to.equal(
        'unreachable',
      );
      // The name is looked up once. A second look-up could return another address than the one that was judged.
      expect(asked).to.equal(1);
      expect(proxy.connections).to.equal(0);
      await proxy.close();
    });

    it('lets the operator’s proxies be in the operator’s network, but no phone ask them for private targets', async () => {
      const proxy = await RealProxy.start({ scheme: 'socks5' });
      const upstream = upstreamOf(proxy.url(), false);
      expect(await faultOf(guarded.tunnel(upstream, { host: '192.168.1.1', port: 80 }, going))).to.equal('refused');
      expect(await faultOf(fetchPage(guarded, upstream, 'http://[::1]:80/', going))).to.equal('refused');
      expect(proxy.connections).to.equal(0);
      await guarded.probe(upstream, going);
      expect(proxy.connections).to.equal(1);
      await proxy.close();
    });

    it('refuses private targets straight out, names too', async () => {
      const straight: Upstream = { kind: 'straight' };
      for (const url of [site.url, site.url.replace('127.0.0.1', 'localhost')]) {
        expect(await faultOf(fetchPage(guarded, straight, url, going)), url).to.equal('refused');
      }
    });
  });

  describe('a proxy that means harm', () => {
    const servers: Server[] = [];
    const sockets = new Set<Socket>();
    /** Returns a server that sends made-up bytes to every client. */
    const harmful = async (speak: (socket: Socket) => void, scheme = 'http'): Promise<Upstream> => {
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        speak(socket);
      });
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return upstreamOf(`${scheme}://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`);
    };

    afterEach(() => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers.splice(0)) server.close();
    });

    const target = { host: 'example.com', port: 443 };
    const page = 'http://example.com/';
    const both = async (upstream: Upstream): Promise<string[]> => [
      await faultOf(way().tunnel(upstream, target, going)),
      await faultOf(fetchPage(way(), upstream, page, going)),
    ];

    it('cannot send headers without end', async () => {
      let sent = 0;
      const upstream = await harmful((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const more = (): void => {
          while (!socket.destroyed && socket.write('x-header: '.padEnd(4_000, 'x') + '\r\n')) sent += 4_000;
          socket.once('drain', more);
        };
        more();
      });
      expect(await both(upstream)).to.deep.equal(['unreachable', 'unreachable']);
      expect(sent).to.be.below(32 * 1024 ** 2);
    });

    it('cannot send a page without end', async () => {
      const upstream = await harmful((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = (): void => {
          while (!socket.destroyed && socket.write('x'.repeat(64 * 1024)));
          socket.once('drain', more);
        };
        more();
      });
      expect(await faultOf(fetchPage(way(), upstream, page, going))).to.equal('target');
    });

    it('is not followed where it redirects to', async () => {
      const visits = site.visits.length;
      const upstream = await harmful((socket) =>
        socket.end(`HTTP/1.1 302 Found\r\nlocation: ${site.url}/\r\ncontent-length: 0\r\n\r\n`),
      );
      expect(await both(upstream)).to.deep.equal(['unreachable', 'target']);
      expect(site.visits.length).to.equal(visits);
    });

    it('may respond with nonsense, or hang up', async () => {
      for (const words of ['SSH-2.0-OpenSSH_9.2\r\n', '\0'.repeat(100), 'HTTP/1.1 999999 no\r\n\r\n', '']) {
        const speak = (socket: Socket): void => void socket.end(words);
        expect(await both(await harmful(speak)), words).to.deep.equal(['unreachable', 'unreachable']);
        expect(await both(await harmful(speak, 'socks5')), words).to.deep.equal(['unreachable', 'unreachable']);
      }
    });

    it('may switch protocols, or speak while it is spoken to', async () => {
      const upgrade = (socket: Socket): void => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'); // prettier-ignore
      expect((await both(await harmful(upgrade))).every((fault) => fault === 'unreachable')).to.equal(true);
    });

    for (const [scheme, name] of [
      ['http', 'an http'],
      ['socks5', 'a socks5'],
      ['https', 'an https'],
    ] as const) {
      it(`is given up when it is silent (${name} proxy)`, async () => {
        const clock = new FakeClock();
        const slow = new WayOut(clock, { allowPrivateTargets: true });
        let connected: () => void = () => undefined;
        const isConnected = new Promise<void>((resolve) => (connected = resolve));
        const upstream = await harmful(() => connected(), scheme);
        const failing = faultOf(slow.tunnel(upstream, target, going));
        await isConnected;
        clock.turn(EXIT_CONNECT_MS);
        expect(await failing).to.equal('timeout');
        expect(clock.timers).to.equal(0);
      });
    }

    it('ends when its phone does', async () => {
      const upstream = await harmful(() => undefined);
      const left = new AbortController();
      const failing = faultOf(fetchPage(way(), upstream, page, left.signal));
      setImmediate(() => left.abort(new Error('left')));
      expect(await failing).to.contain('left');
    });
  });
});
