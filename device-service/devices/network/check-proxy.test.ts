import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { silentLog } from '../../../kit/log/log.js';
import type { GuardOptions } from '../../../kit/net/guarded-connect.js';
import { FakeClock, settled } from '../../../testing/fake-clock.js';
import { RealProxy } from '../../../testing/real-proxy.js';
import { Site } from '../../../testing/site.js';
import { PROXY_CHECK_MS, PROXY_CHECKS_AT_ONCE } from '../limits.js';
import { AddressPages } from './address-page.js';
import { ProxyChecks } from './check-proxy.js';
import { WayOut } from './way-out.js';

describe('checks of proxies', () => {
  const going = new AbortController().signal;
  let site: Site;
  let clock: FakeClock;
  let sockets: Set<Socket>;
  const servers: Server[] = [];

  before(async () => (site = await Site.start()));
  after(() => site.close());
  beforeEach(() => {
    clock = new FakeClock();
    sockets = new Set();
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  function checks(allowPrivateTargets = true): ProxyChecks {
    const pages = new AddressPages({ addressUrl: `${site.url}/ip`, allowPrivateTargets, log: silentLog });
    // The name of a host from which no packet comes back, so that connecting to it takes for ever.
    const lookup: NonNullable<GuardOptions['lookup']> = (host, _options, callback) => {
      if (host !== 'filtered.example') callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    return new ProxyChecks({ way: new WayOut(clock, { allowPrivateTargets, lookup }), pages, clock });
  }

  /** Returns the port of a server that runs `speak` on each connection. */
  async function listen(speak: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      speak(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async function closedPort(): Promise<number> {
    const port = await listen(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    return port;
  }

  it('return the address that the page sees, and how long it took', async () => {
    for (const scheme of ['http', 'socks5'] as const) {
      const proxy = await RealProxy.start({ scheme, addressOf: () => '127.0.0.7' });
      expect(await checks().check('acc_1', proxy.url(), going)).to.deep.equal({
        ...{ ok: true, latencyMs: 0, seen: { address: '127.0.0.7' } },
      });
      await proxy.close();
    }
  });

  it('report at once the refusal of a proxy that responds', async () => {
    const strict = await RealProxy.start({ scheme: 'socks5', login: () => false });
    expect(await checks().check('acc_1', strict.url('a:b@'), going)).to.deep.equal({
      ...{ ok: false, reason: 'The proxy refused the user name or the password.' },
    });
    await strict.close();
    const lost = await listen((socket) => void socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
    expect(await checks().check('acc_1', `http://127.0.0.1:${lost}`, going)).to.deep.equal({
      ...{ ok: false, reason: 'The proxy responds, but did not reach the internet.' },
    });
  });

  it('respond alike, and at the same time, about all that is not reached', async () => {
    const silent = await listen(() => undefined);
    const other = await listen((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    for (const [what, url, allowed] of [
      ['a closed port', `http://127.0.0.1:${await closedPort()}`, true],
      ['a closed port', `socks5://127.0.0.1:${await closedPort()}`, true],
      ['a filtered port', 'http://filtered.example:3128', true],
      ['a filtered port', 'socks5://filtered.example:3128', true],
      ['a port that is silent', `http://127.0.0.1:${silent}`, true],
      ['a port that is silent', `socks5://127.0.0.1:${silent}`, true],
      ['a port of something else', `http://127.0.0.1:${other}`, true],
      ['a port of something else', `socks5://127.0.0.1:${other}`, true],
      ['a forbidden address', `http://127.0.0.1:${other}`, false],
      ['a name that leads to a forbidden address', `http://inside.example:${other}`, false],
    ] as const) {
      let result: unknown;
      const check = checks(allowed)
        .check('acc_1', url, going)
        .then((found) => (result = found));
      // By now, everything is known that can be found out about a server on this machine.
      for (let turns = 0; turns < 200; turns++) await settled();
      clock.turn(PROXY_CHECK_MS - 1);
      for (let turns = 0; turns < 20; turns++) await settled();
      expect(result, `${what}, too early`).to.equal(undefined);
      clock.turn(1);
      expect(await check, what).to.deep.equal({
        ...{ ok: false, reason: 'The proxy could not be reached, or does not work as a proxy of this kind.' },
      });
      expect(clock.timers, what).to.equal(0);
    }
  });

  it('are a few of an account at a time', async () => {
    const silent = await listen(() => undefined);
    const some = checks();
    const left = new AbortController();
    const running = Array.from({ length: PROXY_CHECKS_AT_ONCE }, () =>
      some.check('acc_1', `http://127.0.0.1:${silent}`, left.signal).catch((error: unknown) => error),
    );
    const refused = await some.check('acc_1', `http://127.0.0.1:${silent}`, going).catch((error: unknown) => error);
    expect(refused).to.have.property('kind', 'rate_limited');
    const proxy = await RealProxy.start({ scheme: 'http' });
    expect(await some.check('acc_2', proxy.url(), going)).to.include({ ok: true });
    left.abort(new Error('left'));
    for (const error of await Promise.all(running)) expect(String(error)).to.contain('left');
    expect(await some.check('acc_1', proxy.url(), going)).to.include({ ok: true });
    await proxy.close();
    expect(clock.timers).to.equal(0);
  });
});
