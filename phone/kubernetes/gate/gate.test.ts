import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { until } from '../../../testing/until.js';
import { ExitTunnels } from '../exit-tunnels.js';
import { Gate } from './gate.js';

const TOKEN = 'a'.repeat(64);

describe("the gate in a phone's pod, and the tunnels of the service", () => {
  let folder: string;
  let gate: Gate;
  let tunnels: ExitTunnels;
  const servers: Server[] = [];

  /** A forwarder that responds with its name and what it got. */
  async function forwarder(name: string): Promise<string> {
    const path = join(folder, name);
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      let sent = '';
      socket.on('data', (chunk: Buffer) => (sent += chunk.toString()));
      socket.on('end', () => socket.end(`${name} got ${sent}`));
    });
    servers.push(server);
    server.listen(path);
    await once(server, 'listening');
    return path;
  }

  const open = (path: string | undefined, token = TOKEN): void =>
    tunnels.open('ph_1', { host: '127.0.0.1', port: gate.ports.gate, token, forwarder: path });

  function phone(): Socket {
    return connect({ port: gate.ports.proxy, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
  }

  async function send(words: string): Promise<string> {
    const socket = phone();
    socket.end(words);
    return text(socket).catch(() => '');
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gate-'));
    const any = { host: '127.0.0.1', port: 0 };
    gate = await Gate.listen({ proxy: any, gate: any, token: TOKEN, clock: systemClock, log: silentLog });
    const connectSocket = (host: string, port: number): Socket => connect({ host, port });
    tunnels = new ExitTunnels({ connectSocket, clock: systemClock, log: silentLog });
  });
  afterEach(async () => {
    tunnels.closeAll();
    await gate.close();
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true });
  });

  it('join each connection of the phone to its forwarder, many at the same time', async () => {
    open(await forwarder('one'));
    const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => send(`request ${at}`)));
    expect(replies).to.deep.equal(Array.from({ length: 50 }, (_, at) => `one got request ${at}`));
    const large = 'x'.repeat(1_000_000);
    expect(await send(large)).to.equal(`one got ${large}`);
  });

  it('let a phone wait until the service is there', async () => {
    const reply = send('early');
    open(await forwarder('one'));
    expect(await reply).to.equal('one got early');
  });

  it('lead new connections to another forwarder, and end those to the old one', async () => {
    open(await forwarder('one'));
    const socket = phone();
    socket.write('begun');
    const ended = text(socket).catch(() => 'cut');
    await until(async () => (await connections(servers[0])) > 0);
    open(await forwarder('two'));
    expect(await ended).to.be.oneOf(['', 'cut']);
    expect(await send('next')).to.equal('two got next');
    open(undefined);
    expect(await send('nowhere')).to.equal('');
  });

  it('lead nothing for those who do not know the token', async () => {
    const path = await forwarder('one');
    open(path, 'b'.repeat(64));
    const reply = send('secret');
    await systemClock.sleep(100);
    expect(await connections(servers[0])).to.equal(0);
    open(path);
    expect(await reply).to.equal('one got secret');
  });

  it('come back after a restart of the gate', async () => {
    open(await forwarder('one'));
    expect(await send('before')).to.equal('one got before');
    const { proxy, gate: port } = gate.ports;
    await gate.close();
    const host = '127.0.0.1';
    gate = await Gate.listen({
      proxy: { host, port: proxy },
      gate: { host, port },
      token: TOKEN,
      clock: systemClock,
      log: silentLog,
    });
    expect(await send('after')).to.equal('one got after');
  });
});

function connections(server: Server | undefined): Promise<number> {
  return new Promise((resolve, reject) =>
    server?.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}
