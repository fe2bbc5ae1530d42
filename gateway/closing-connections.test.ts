import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CONTROL_KEY, type EdgeWorld, type FakeServices, startEdge } from '../testing/edge-world.js';
import { connectRaw, type RawClient } from '../testing/raw-client.js';
import type { EdgeLimits } from './limits.js';

const HEAD = `Host: x\r\nAuthorization: Bearer ${CONTROL_KEY}\r\n`;

describe('connections of an edge that closes', () => {
  const opened: { close(): Promise<void> | void }[] = [];
  afterEach(async () => {
    for (let part = opened.pop(); part !== undefined; part = opened.pop()) await part.close();
  });

  async function edge(services: FakeServices = {}, limits: Partial<EdgeLimits> = {}): Promise<EdgeWorld> {
    const world = await startEdge(
      { device: { getDevice: ({ name }) => ({ device: { name } }) }, ...services },
      { limits },
    );
    opened.push(world);
    return world;
  }

  async function client({ port }: { port: number }): Promise<RawClient> {
    const raw = await connectRaw(port);
    opened.push({ close: () => void raw.socket.destroy() });
    return raw;
  }

  it('finish running requests, send Connection: close, and take nothing new', async () => {
    let finish: () => void = () => undefined;
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let called: () => void;
    const call = new Promise<void>((resolve) => {
      called = resolve;
    });
    const world = await edge(
      {
        model: {
          listModels: async () => {
            called();
            await running;
            return { models: [] };
          },
        },
      },
      { drainTimeoutMs: 5_000 },
    );
    const raw = await client(world);
    raw.send(`GET /v1/models HTTP/1.1\r\n${HEAD}\r\n`);
    await call;
    const idle = await client(world);
    idle.send(`GET /v1/devices/a HTTP/1.1\r\n${HEAD}\r\n`);
    await idle.until(/"name":"a".*\}\}/);
    const closed = world.close();
    await once(idle.socket, 'close');
    const refusal = await connectRaw(world.port).then(
      () => 'taken',
      () => 'refused',
    );
    expect(refusal).to.equal('refused');
    finish();
    const response = await raw.rest();
    expect(response)
      .to.include('{"models":[]}')
      .and.to.match(/connection: close/i);
    await closed;
  });

  it('respond to what was sent to them before: on new connections, and on kept ones without a request', async () => {
    // A turn of the event loop may take longer than the 300 ms of a service that is under no such load.
    const world = await edge({}, { drainAcceptMs: 20_000 });
    const kept = await client(world);
    kept.send(`GET /v1/devices/a HTTP/1.1\r\n${HEAD}\r\n`);
    await kept.until(/"name":"a".*\}\}/);
    // The clients are a process of their own. Their connections and requests stay in the kernel's buffers while this process is busy.
    const program = `
      const { connect } = require('node:net');
      const request = Buffer.from(process.argv[2], 'base64');
      for (let i = 0; i < 20; i++) {
        const socket = connect(${world.port}, '127.0.0.1', () => socket.write(request));
        let text = '';
        socket.on('data', (chunk) => (text += chunk)).on('error', (error) => console.log(error.code));
        socket.on('end', () => console.log(text.slice(0, 12)));
      }`;
    const request = Buffer.from(`GET /v1/devices/b HTTP/1.1\r\n${HEAD}\r\n`);
    const folder = mkdtempSync(join(tmpdir(), 'cloudphone-clients-'));
    try {
      const output = openSync(join(folder, 'output'), 'w');
      const clients = spawn(process.execPath, ['-e', program, 'x', request.toString('base64')], {
        stdio: ['ignore', output, 'inherit'],
      });
      const exited = once(clients, 'exit');
      // This process is busy until all 20 have connected and sent, which /proc shows of the kernel's queue.
      const untilMs = performance.now() + 20_000;
      while (waitingConnections(world.port, request.length) < 20 && performance.now() < untilMs);
      expect(waitingConnections(world.port, request.length)).to.equal(20);
      kept.send(`GET /v1/devices/c HTTP/1.1\r\n${HEAD}\r\n`);
      const closed = world.close();
      await exited;
      await closed;
      closeSync(output);
      expect(readFileSync(join(folder, 'output'), 'utf8')).to.equal('HTTP/1.1 200\n'.repeat(20));
      expect(await kept.rest()).to.include('"name":"c"');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('respond 503 to requests that run for too long', async () => {
    const world = await edge({ model: { listModels: () => new Promise(() => undefined) } }, { drainTimeoutMs: 30 });
    const raw = await client(world);
    raw.send(`GET /v1/models HTTP/1.1\r\n${HEAD}\r\n`);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await world.close();
    expect(await raw.rest())
      .to.match(/^HTTP\/1.1 503 /)
      .and.to.match(/connection: close/i)
      .and.to.include('"error":"unavailable"');
  });
});

/**
 * Returns the number of connections to a port that have at least `bytes` unread bytes of their client, by Linux's table of connections.
 */
function waitingConnections(port: number, bytes: number): number {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines.filter((line) => {
    const [, address, , state, queues = ''] = line.trim().split(/\s+/);
    return address === local && state === '01' && parseInt(queues.split(':')[1] ?? '0', 16) >= bytes;
  }).length;
}
