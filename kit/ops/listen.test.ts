import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { Counter, Gauge, Registry } from 'prom-client';
import { systemClock } from '../async/clock.js';
import { until } from '../../testing/until.js';
import { silentLog } from '../log/log.js';
import type { PageListener } from '../https/listen-pages.js';
import type { PageLimits } from '../https/page-server.js';
import { listenOps } from './listen.js';
import { Readiness } from './readiness.js';

describe('the ops port', () => {
  let metrics: Registry;
  let readiness: Readiness;
  let listener: PageListener;
  const sockets: Socket[] = [];

  beforeEach(() => {
    metrics = new Registry();
    readiness = new Readiness({ clock: systemClock, log: silentLog });
    new Counter({ name: 'things_total', help: 'Things', registers: [metrics] }).inc(2);
  });

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await listener.close();
  });

  async function listen(limits: Partial<PageLimits> = {}, port = 0): Promise<void> {
    const log = silentLog;
    listener = await listenOps({ host: '127.0.0.1', port, metrics, readiness, clock: systemClock, log, limits });
  }

  function ask(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${listener.port}${path}`, init);
  }

  async function open(bytes: string): Promise<Socket> {
    const socket = connect(listener.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  it('returns /metrics in the text format', async () => {
    await listen();
    const response = await ask('/metrics?collect[]=all');
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).to.equal('# HELP things_total Things\n# TYPE things_total counter\nthings_total 2\n');
  });

  it('announces a shorter time for idle connections than it keeps them, so that clients are first to close', async () => {
    await listen({ silenceMs: 10_000 });
    const response = await ask('/livez');
    expect(response.headers.get('keep-alive')).to.equal('timeout=5');
    const closing = await open('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(String((await once(closing, 'data'))[0])).to.not.match(/^keep-alive:/im);
  });

  it('returns /livez while everything else fails', async () => {
    await listen();
    readiness.needs('database', async () => Promise.reject(new Error('away')));
    for (const turn of [() => undefined, () => readiness.start(), () => readiness.stop()]) {
      turn();
      const response = await ask('/livez');
      expect([response.status, await response.text()]).to.deep.equal([200, 'ok\n']);
    }
  });

  it('returns 503 for /readyz while starting, on a failure and while stopping', async () => {
    await listen();
    let isAway = false;
    readiness.needs('database', async () => {
      if (isAway) throw new Error('10.1.2.3:27017 refused the connection');
    });
    const readReady = async (): Promise<unknown[]> => {
      const response = await ask('/readyz');
      return [response.status, await response.json()];
    };
    expect(await readReady()).to.deep.equal([503, { ready: false, state: 'starting', checks: {} }]);
    readiness.start();
    expect(await readReady()).to.deep.equal([200, { ready: true, state: 'started', checks: { database: 'ok' } }]);
    isAway = true;
    expect(await readReady()).to.deep.equal([503, { ready: false, state: 'started', checks: { database: 'failing' } }]);
    readiness.stop();
    expect(await readReady()).to.deep.equal([503, { ready: false, state: 'stopping', checks: {} }]);
  });

  it('returns at /v1/health what an operator should see to, one line each', async () => {
    await listen();
    const read = async (): Promise<unknown> => (await ask('/v1/health')).json();
    expect(await read()).to.deep.equal({ status: 'problem', problems: ['the service is starting'] });
    let problems = ['model "redroid-14" is not offered: the program nft is missing'];
    let isAway = true;
    readiness.remarks(async () => problems);
    readiness.needs('database', async () => {
      if (isAway) throw new Error('10.1.2.3:27017 refused the connection');
    });
    readiness.start();
    expect(await read()).to.deep.equal({ status: 'problem', problems: ['database does not respond', ...problems] });
    problems = [];
    isAway = false;
    expect(await read()).to.deep.equal({ status: 'ok', problems: [] });
    readiness.remarks(async () => Promise.reject(new Error('mongodb://user:hunter2@db')));
    expect(JSON.stringify(await read()))
      .to.contain('cannot be read')
      .and.not.to.contain('hunter2');
  });

  it('responds to HEAD as to GET, without the body', async () => {
    await listen();
    for (const path of ['/metrics', '/livez', '/readyz']) {
      const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      expect(head.status).to.equal(get.status);
      for (const name of ['content-type', 'content-length']) {
        expect(head.headers.get(name)).to.equal(get.headers.get(name));
      }
      expect(await head.text()).to.equal('');
    }
  });

  for (const path of ['/', '/metrics/', '//metrics', '/METRICS', '/%6detrics', '/v1/devices', '/livez/x']) {
    it(`does not have ${path}`, async () => {
      await listen();
      const response = await ask(path);
      expect([response.status, await response.text()]).to.deep.equal([
        404,
        'not found; here are /livez, /readyz, /v1/health, /metrics\n',
      ]);
    });
  }

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    it(`refuses ${method}`, async () => {
      await listen();
      const response = await ask('/metrics', { method });
      expect(response.status).to.equal(405);
      expect(response.headers.get('allow')).to.equal('GET, HEAD');
      expect(response.headers.get('connection')).to.equal('close');
    });
  }

  it('returns 500 without a reason when a metric fails, and goes on', async () => {
    await listen();
    new Gauge({
      name: 'broken',
      help: 'Broken',
      registers: [metrics],
      collect: () => {
        throw new Error('mongodb://user:hunter2@db');
      },
    });
    const response = await ask('/metrics');
    expect([response.status, await response.text()]).to.deep.equal([
      500,
      'something went wrong; the log has the cause\n',
    ]);
    expect((await ask('/livez')).status).to.equal(200);
  });

  it('closes connections of slow and of silent clients', async () => {
    await listen({ requestTimeoutMs: 50, silenceMs: 100 });
    const slow = await open('GET /metrics HTTP/1.1\r\nHo');
    const idle = await open('');
    await Promise.all([closed(slow), closed(idle)]);
  });

  it('drops connections beyond its limit, and serves the others', async () => {
    await listen({ maxConnections: 3 });
    const kept = await Promise.all([open(''), open(''), open('')]);
    const fourth = await open('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await closed(fourth);
    kept[0].write('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const [bytes] = (await once(kept[0], 'data')) as [Buffer];
    expect(bytes.toString()).to.match(/^HTTP\/1.1 200 OK\r\n/);
  });

  it('drops connections of an address beyond its limit, until one of them ends', async () => {
    await listen({ maxConnectionsOfAddress: 2 });
    const kept = await Promise.all([open(''), open('')]);
    await closed(await open('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
    kept[0].destroy();
    await until(async () => {
      const response = await ask('/livez').catch(() => undefined);
      return response?.status === 200;
    });
  });

  it('refuses requests that name another host', async () => {
    await listen();
    const client = await open('GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n');
    const [bytes] = (await once(client, 'data')) as [Buffer];
    expect(bytes.toString())
      .to.match(/^HTTP\/1.1 403 /)
      .and.to.contain('ALLOWED_HOSTS');
  });

  it('reports which port is taken', async () => {
    await listen();
    const { port } = listener;
    const again = listenOps({ host: '127.0.0.1', port, metrics, readiness, clock: systemClock, log: silentLog });
    expect(await again.catch(String)).to.equal(
      `Error: Port ${port} on 127.0.0.1, wanted for metrics and probes (OPS_PORT), is taken by another program.`,
    );
  });

  it('closes also while a client keeps its connection', async () => {
    await listen({ drainMs: 50 });
    const kept = await open('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(kept, 'data');
    const half = await open('GET /livez HTTP/1.1\r\n');
    half.resume();
    kept.resume();
    await listener.close();
    await listen({}, listener.port);
  });
});

/** Resolves when the socket is closed, by an end or by a reset. */
function closed(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}
