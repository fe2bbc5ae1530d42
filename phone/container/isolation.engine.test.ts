import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import type { PhoneEndpoint } from '../driver.js';
import { PROXY_PORT } from './firewall.js';
import { ContainerWorld } from './testing/container-world.js';

const run = promisify(execFile);

describe('the network of phones in containers of a real engine', function () {
  let world: ContainerWorld;
  let phoneId: string;
  let at: PhoneEndpoint;
  let gateway: string;

  /** Listens on all addresses of this host, IPv6 too, while `attempt` runs; returns how many connections and datagrams came. */
  const reachedDuring = async (attempt: (port: number) => Promise<unknown>): Promise<number> => {
    let reached = 0;
    const server = createServer((socket) => {
      reached++;
      socket.destroy();
    }).listen(0, '::');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const datagrams = createSocket({ type: 'udp6', ipv6Only: false }, () => reached++).bind(port);
    await once(datagrams, 'listening');
    try {
      await attempt(port);
    } finally {
      server.close();
      datagrams.close();
    }
    return reached;
  };
  /**
   * How many connections of the phone to its forwarder the host's kernel has. The phone's own count would not do. While the queue is full,
   * the host answers with cookies, and a connection that it never kept is open for the phone.
   */
  const openToProxy = (): number => {
    const host = Buffer.from(gateway.split('.').map(Number)).reverse().toString('hex');
    const local = `${host}:${PROXY_PORT.toString(16)}`.toUpperCase();
    const ESTABLISHED = '01';
    return readFileSync('/proc/net/tcp', 'latin1')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, at, , state]) => at === local && state === ESTABLISHED).length;
  };
  const addressesOfHost = (): string[] =>
    Object.values(networkInterfaces())
      .flatMap((found = []) => found)
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);

  before(async function () {
    const started = await ContainerWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
    ({ phoneId } = await world.create());
    at = await world.driver.start(phoneId);
    gateway = await world.gateway(at);
    await world.inside(phoneId, `busybox ip route add default via ${gateway}`);
  });
  after(async () => {
    await (world as ContainerWorld | undefined)?.close();
  });

  it('leads to the forwarder', async () => {
    expect(await world.inside(phoneId, 'busybox ip route')).to.contain('default');
    world.forwarded.length = 0;
    await world.inside(phoneId, `echo x | busybox nc -w 2 ${gateway} ${PROXY_PORT}`);
    await until(() => world.forwarded.length > 0, 10_000);
  });

  it('leads to no other port of the host, by TCP or UDP, whatever routes a phone gives itself', async () => {
    const reached = await reachedDuring((port) =>
      Promise.all(
        [gateway, ...addressesOfHost(), '127.0.0.1'].flatMap((host) => [
          world.inside(phoneId, `echo x | busybox nc -w 2 ${host} ${port}`),
          world.inside(phoneId, `echo x | busybox nc -u -w 1 ${host} ${port}`),
        ]),
      ),
    );
    expect(reached).to.equal(0);
  });

  it('has no ICMP, and no IPv6', async () => {
    const bridge = Object.values(networkInterfaces()).find((found) =>
      found?.some(({ address }) => address === gateway),
    );
    const linkLocal = bridge?.find(({ family }) => family === 'IPv6')?.address ?? 'fe80::1';
    for (const host of [gateway, ...addressesOfHost()])
      expect(await world.inside(phoneId, `busybox ping -c 1 -W 1 ${host} >/dev/null 2>&1 || echo lost`)).to.equal(
        'lost\n',
      );
    await world.inside(phoneId, 'busybox ip -6 addr add fd00:5::2/64 dev eth0');
    const reached = await reachedDuring((port) =>
      Promise.all(
        [`${linkLocal}%eth0`, 'fd00:5::1'].map((host) =>
          world.inside(
            phoneId,
            `echo x | busybox nc -w 2 ${host} ${port}; echo x | busybox nc -u -w 1 ${host} ${port}`,
          ),
        ),
      ),
    );
    expect(reached).to.equal(0);
  });

  it('does not lead to other phones and their ways out, also not with the address of another', async () => {
    const { phoneId: other } = await world.create();
    const to = await world.driver.start(other);
    const gatewayOfOther = await world.gateway(to);
    world.forwarded.length = 0;
    const attempts = async (): Promise<string> =>
      (
        await Promise.all(
          [`${to.host} ${to.port}`, `${gatewayOfOther} ${PROXY_PORT}`].map((place) =>
            world.inside(phoneId, `echo x | busybox nc -w 2 ${place}`),
          ),
        )
      ).join('');
    expect(await attempts())
      .not.to.contain('ok')
      .and.not.to.contain('CNXN');
    await world.inside(phoneId, `busybox ip addr add ${to.host}/32 dev eth0; busybox ip route change default via ${gateway} src ${to.host}`); // prettier-ignore
    expect(await attempts())
      .not.to.contain('ok')
      .and.not.to.contain('CNXN');
    await world.inside(phoneId, `busybox ip addr del ${to.host}/32 dev eth0; busybox ip route replace default via ${gateway}`); // prettier-ignore
    expect(world.forwarded).to.deep.equal([]);
    expect(await world.page(to), 'the other one').to.contain('ok');
    await world.driver.delete(other);
  });

  it('is closed again by the next measure of the host after somebody removed the rules', async () => {
    await run('nft', ['delete', 'table', 'inet', 'cloudphone'], { env: { PATH: process.env['PATH'] } });
    await world.driver.capacity();
    expect(
      await reachedDuring((port) => world.inside(phoneId, `echo x | busybox nc -w 2 ${gateway} ${port}`)),
    ).to.equal(0);
    expect(await world.page(at)).to.contain('ok');
  });

  it('takes a bounded number of connections of a phone that opens ten times as many, and others go on', async () => {
    const { phoneId: other } = await world.create();
    const quiet = await world.driver.start(other);
    world.forwarded.length = 0;
    // Ten times what a phone may have; each says nothing and stays.
    const flood = [
      `for (let count = 0; count < 5120; count++) require('node:net').connect(${PROXY_PORT}, '${gateway}').on('error', () => {});`,
      `setInterval(() => require('node:fs').existsSync('/tmp/enough') && process.exit(), 200);`,
    ].join(' ');
    const flooding = world.inside(phoneId, `node -e "${flood}"`);
    const open: number[] = [];
    await until(() => open.push(openToProxy()) > 0 && Math.max(...open) >= 512);
    const delays: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const beganMs = performance.now();
      expect(await world.page(quiet)).to.contain('ok');
      delays.push(performance.now() - beganMs);
      open.push(openToProxy());
    }
    // The kernel's table is read in pieces: while connections come and go, more are counted than were open at any one time.
    const settled: number[] = [];
    await until(() => settled.push(openToProxy()) >= 20 && new Set(settled.slice(-20)).size === 1);
    await world.inside(phoneId, 'touch /tmp/enough');
    expect(await flooding).to.equal('');
    // 512 are let through, and the kernel's queue of the forwarder holds 512 that wait to be accepted, and closed.
    expect(settled.at(-1)).to.be.within(512, 512 + 512);
    expect(Math.max(...open), 'the most that were counted').to.be.below(5_120 / 2);
    expect(Math.max(...delays)).to.be.below(5_000);
    expect(await world.page(at), 'the one that flooded, after it').to.contain('ok');
    await world.driver.delete(other);
  });
});
