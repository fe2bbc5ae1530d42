import { createServer, type Server } from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import type { PhoneEndpoint } from '../driver.js';
import { EmulatorWorld, needsNamespaces } from './testing/emulator-world.js';

const URL_OF_SITE = 'http://site.example/';

describe('exits of phones in the emulator', () => {
  let world: EmulatorWorld;
  const servers: Server[] = [];

  before(async function () {
    await needsNamespaces(this);
  });
  beforeEach(async () => {
    world = new EmulatorWorld();
    await world.driver.open();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    await world.close();
  });

  /** A forwarder that replies to every request itself. */
  async function forwarder(name: string): Promise<{ path: string; server: Server }> {
    const server = createServer((request, response) => response.end(`${name} ${request.url ?? ''}`));
    const path = join(world.directory, name);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    servers.push(server);
    return { path, server };
  }

  const byProxy = (phone: PhoneEndpoint): Promise<string> =>
    world.shell(phone, `curl -s -S -m 5 -x http://$(settings get global http_proxy) ${URL_OF_SITE} 2>&1`);

  it('lead to the forwarder, also to another one and after a restart of the service', async () => {
    const [first, second] = [await forwarder('first'), await forwarder('second')];
    await world.driver.create(world.spec('ph_a', first.path));
    const phone = await world.driver.start('ph_a');
    expect(await byProxy(phone)).to.equal(`first ${URL_OF_SITE}`);
    expect(await world.shell(phone, 'getprop persist.sys.timezone')).to.equal('America/New_York');
    const { exit } = world.spec('ph_a', second.path);
    await world.driver.setExit('ph_a', { ...exit, timezone: 'Europe/Paris' });
    expect(await byProxy(phone)).to.equal(`second ${URL_OF_SITE}`);
    expect(await world.shell(phone, 'getprop persist.sys.timezone')).to.equal('Europe/Paris');
    await world.restart();
    expect(await byProxy(phone)).to.equal(`second ${URL_OF_SITE}`);
    await world.driver.setExit('ph_a', world.spec('ph_a').exit);
    expect(await byProxy(phone)).to.contain('curl: (');
  });

  it('end open connections when they change', async () => {
    let opened = 0;
    let closed = 0;
    const path = join(world.directory, 'slow');
    const slow = net.createServer((socket) => {
      opened++;
      socket.on('error', () => undefined).on('close', () => closed++);
      socket.resume();
    });
    await new Promise<void>((resolve) => slow.listen(path, resolve));
    try {
      await world.driver.create(world.spec('ph_a', path));
      const phone = await world.driver.start('ph_a');
      const waiting = world.shell(phone, `curl -s -m 100 -x http://$(settings get global http_proxy) ${URL_OF_SITE}`);
      await until(() => opened === 1);
      await world.driver.setExit('ph_a', world.spec('ph_a', (await forwarder('next')).path).exit);
      await until(() => closed === 1);
      await waiting;
      expect(await byProxy(phone)).to.equal(`next ${URL_OF_SITE}`);
    } finally {
      slow.close();
    }
  });

  it('are the only way out: not past the proxy, and not once the forwarder has ended', async () => {
    const { path, server } = await forwarder('only');
    const site = createServer((_request, response) => response.end('past the exit'));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    servers.push(site);
    const { port } = site.address() as net.AddressInfo;
    await world.driver.create(world.spec('ph_a', path));
    const phone = await world.driver.start('ph_a');
    for (const host of ['127.0.0.1', '10.0.2.2', '198.51.100.1']) {
      const printed = await world.shell(phone, `curl -s -S -m 5 http://${host}:${port}/ 2>&1`);
      expect(printed, host).to.match(/^curl: \(\d+\) (?!.*past the exit)/);
    }
    server.closeAllConnections();
    server.close();
    expect(await byProxy(phone)).to.match(/^curl: \(\d+\)/);
  });
});
