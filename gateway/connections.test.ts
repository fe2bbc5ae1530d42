import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { CONTROL_KEY, type EdgeWorld, type FakeServices, startEdge } from '../testing/edge-world.js';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import type { EdgeLimits } from './limits.js';
import { until } from '../testing/until.js';
import { connectRaw, type RawClient } from '../testing/raw-client.js';

const HEAD = `Host: x\r\nAuthorization: Bearer ${CONTROL_KEY}\r\n`;
const VALID = JSON.stringify({ model: 'p', network: { type: 'mobile', country: 'de' }, plan: 'minute' });
const POST = `POST /v1/devices HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`;

describe('connections of the edge', () => {
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

  it('are bounded for one address, except behind a proxy', async () => {
    const world = await edge({}, { maxConnectionsOfAddress: 2 });
    const kept = [await client(world), await client(world)];
    expect(await (await client(world)).rest()).to.equal('');
    kept[0]!.socket.destroy();
    await until(async () => (await world.call('/v1/devices/a').catch(() => undefined))?.status === 200);
    const behind = await startEdge({}, { behindProxy: true, limits: { maxConnectionsOfAddress: 2 } });
    opened.push(behind);
    await Promise.all([client(behind), client(behind), client(behind)]);
    expect((await behind.call('/v1/nothing')).status).to.equal(404);
  });

  it('are announced to be idle for a shorter time than they are kept', async () => {
    const world = await edge({}, { keepAliveTimeoutMs: 65_000 });
    for (const path of ['/v1/devices/a', '/v1/nothing'])
      expect((await world.call(path)).headers.get('keep-alive'), path).to.equal('timeout=60');
    const raw = await client(world);
    raw.send(`GET /v1/devices/a HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
    expect(await raw.rest()).to.not.match(/^keep-alive:/im);
  });

  it('respond to pipelined requests in order', async () => {
    const world = await edge();
    const raw = await client(world);
    raw.send(['a', 'b', 'c'].map((name) => `GET /v1/devices/${name} HTTP/1.1\r\n${HEAD}\r\n`).join(''));
    const responses = await raw.until(/"name":"c"/);
    expect([...responses.matchAll(/"name":"(\w)"/g)].map(([, name]) => name)).to.deep.equal(['a', 'b', 'c']);
  });

  it('take the absolute form of a request target', async () => {
    const raw = await client(await edge());
    raw.send(`GET http://x:80/v1/devices/q?%zz HTTP/1.1\r\n${HEAD}\r\n`);
    expect(await raw.until(/"message".*\}/))
      .to.match(/^HTTP\/1.1 400 /)
      .and.to.include('in the query has a %');
    raw.send(`GET http://X/v1/devices/q HTTP/1.1\r\n${HEAD}\r\n`);
    expect(await raw.until(/"name":"q"/)).to.match(/^[^]*HTTP\/1.1 200 /);
  });

  for (const [what, target, hosts] of [
    ['two different Host headers', '/v1/devices/q', ['x', 'localhost']],
    ['the same Host header twice', '/v1/devices/q', ['x', 'x']],
    ['a URL of another host', 'http://localhost/v1/devices/q', ['x']],
    ['a URL of another port', 'http://x:8080/v1/devices/q', ['x']],
  ] as const) {
    it(`refuse ${what}`, async () => {
      const raw = await client(await edge());
      const headers = hosts.map((host) => `Host: ${host}\r\n`).join('');
      raw.send(`GET ${target} HTTP/1.1\r\n${headers}Authorization: Bearer ${CONTROL_KEY}\r\n\r\n`);
      expect(await raw.until(/"message".*\}/))
        .to.match(/^HTTP\/1.1 400 /)
        .and.to.include('two hosts');
    });
  }

  for (const target of ['*', 'http://[', 'x', 'http://x', '/v1/devices/a#b?c', '/\\v1']) {
    it(`respond to the request target ${target} without breaking`, async () => {
      const raw = await client(await edge());
      raw.send(`OPTIONS ${target} HTTP/1.1\r\n${HEAD}\r\n`);
      expect(await raw.until(/"message".*\}/)).to.match(/^HTTP\/1.1 40[045] /);
    });
  }

  for (const [what, bytes] of [
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00'],
    ['a broken request line', 'GARBAGE /v1/models HTTP/1.1\r\n\r\n'],
    ['a header without a name', 'GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
  ] as const) {
    it(`respond to ${what} with 400 in our form, and close`, async () => {
      const raw = await client(await edge());
      raw.send(Buffer.from(bytes, 'latin1'));
      const response = await raw.rest();
      expect(response).to.match(/^HTTP\/1.1 400 Bad Request\r\n/);
      expect(response).to.match(/X-Request-Id: req_/i);
      expect(response.split('\r\n\r\n')[1]).to.include('"error":"bad_request"');
    });
  }

  it('respond to a broken chunk in the middle of a body with 400', async () => {
    const raw = await client(await edge());
    raw.send(`${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`);
    expect(await raw.rest()).to.match(/^HTTP\/1.1 400 /);
  });

  it('respond to headers that are too large with 431', async () => {
    const raw = await client(await edge());
    raw.send(`GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(20_000)}\r\n\r\n`);
    const response = await raw.rest();
    expect(response).to.match(/^HTTP\/1.1 431 /);
    expect(response).to.include('"error":"too_large"');
  });

  it('respond to headers that do not come in with 408', async () => {
    const world = await edge({}, { headersTimeoutMs: 100, requestTimeoutMs: 100 });
    const raw = await client(world);
    raw.send('GET /v1/models HTTP/1.1\r\nHost: x\r\n');
    const response = await raw.rest();
    expect(response).to.match(/^HTTP\/1.1 408 /);
    expect(response).to.include('"error":"bad_request"');
  });

  it('respond to a body that does not come in with 400', async () => {
    const world = await edge({}, { bodyTimeoutMs: 40 });
    const raw = await client(world);
    raw.send(`${POST}Content-Length: 100\r\n\r\n{"model"`);
    expect(await raw.until(/"message".*\}/)).to.include('The body did not arrive within 40 ms; 8 bytes did.');
  });

  it('hold so much of the bodies of one account, and so much of all, until they are through or cut', async () => {
    const world = await edge(
      { session: { signIn: () => ({}) }, device: { createDevice: () => ({ job: { id: 'job_1' } }) } },
      { maxBodyBytes: 205_000, maxBodiesOfAccountBytes: 210_000, maxBodiesBytes: 350_000 },
    );
    const signIn = `POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const statuses: string[] = [];
    const responded = async (count: number): Promise<void> => {
      while (statuses.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    /** Begins to send bodies of 100,000 bytes at the same time, without their ends; returns their connections. */
    const begin = async (count: number, head: string, end: string): Promise<RawClient[]> => {
      const clients = await Promise.all(Array.from({ length: count }, () => client(world)));
      for (const raw of clients) {
        raw.send(`${head}Content-Length: ${99_000 + end.length}\r\n\r\n${' '.repeat(99_000)}`);
        void raw.until(/HTTP\/1.1 \d+/).then((line) => statuses.push(line.slice(-3)), () => undefined); // prettier-ignore
      }
      return clients;
    };
    const end = JSON.stringify({ email: 'a@b.example', password: 'x' });
    const strangers = await begin(4, signIn, end);
    await responded(2);
    expect(statuses).to.deep.equal(['429', '429']);
    const callers = await begin(2, POST, VALID);
    await responded(3);
    expect(statuses[2]).to.equal('503');
    for (const raw of strangers) raw.send(end);
    await responded(5);
    expect(statuses.slice(3)).to.deep.equal(['201', '201']);
    for (const raw of callers) raw.socket.destroy();

    // A body that was read or cut off no longer takes room.
    statuses.length = 0;
    for (const raw of await begin(2, POST, VALID)) raw.send(VALID);
    for (const raw of await begin(1, signIn, end)) raw.send(end);
    await responded(3);
    expect(statuses.sort()).to.deep.equal(['201', '202', '202']);
  });

  it('hold the bodies of all keys of an account together', async () => {
    const world = await startEdge(
      { device: { createDevice: () => ({ job: { id: 'job_1' } }) } },
      {
        limits: { maxBodiesOfAccountBytes: 150_000 },
        authenticate: async (authorization) =>
          create(CallerSchema, { accountId: 'acc_1', keyId: authorization, scope: Scope.CONTROL, allDevices: true }),
      },
    );
    opened.push(world);
    const clients = [await client(world), await client(world)];
    for (const [at, raw] of clients.entries()) {
      raw.send(POST.replace(CONTROL_KEY, `key_${at}`));
      raw.send(`Content-Length: ${100_000 + VALID.length}\r\n\r\n${' '.repeat(100_000)}`);
    }
    const responses = clients.map((raw) => raw.until(/"message".*\}|job_1/));
    await Promise.race(responses);
    for (const raw of clients) raw.send(VALID);
    const statuses = (await Promise.all(responses)).map((text) => text.slice(9, 12));
    expect(statuses.sort()).to.deep.equal(['202', '429']);
  });

  it('take a body that comes byte by byte', async () => {
    const raw = await client(await edge({ device: { createDevice: () => ({ job: { id: 'job_1' } }) } }));
    raw.socket.setNoDelay(true);
    raw.send(`${POST}Content-Length: ${VALID.length}\r\n\r\n`);
    for (const byte of VALID) {
      raw.send(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await raw.until(/job_1/)).to.match(/^HTTP\/1.1 202 /);
  });

  it('report 413 to the client by the length alone, let it finish sending, and go on', async () => {
    const raw = await client(await edge());
    const size = 2 * 1024 * 1024;
    raw.send(`${POST}Content-Length: ${size}\r\n\r\n`);
    expect(await raw.until(/"message".*\}/)).to.match(/^HTTP\/1.1 413 /);
    raw.send(Buffer.alloc(size, 0x20));
    raw.send(`GET /v1/devices/after HTTP/1.1\r\n${HEAD}\r\n`);
    expect(await raw.until(/"name":"after"/)).to.include('HTTP/1.1 200 ');
  });

  for (const head of [POST, POST.replace(/Authorization.*\r\n/, '')]) {
    it(`are cut when a refused body never ends, after the response could be read: ${head === POST ? 413 : 401}`, async () => {
      const raw = await client(await edge({}, { maxDiscardBytes: 100_000, discardLingerMs: 1_000 }));
      raw.send(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      // The slowest possible reader is a client that first writes as much as it can.
      raw.socket.pause();
      let sent = 0;
      while (raw.socket.writableLength < 500_000 && sent++ < 1_000) {
        raw.send(chunk);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(raw.socket.destroyed).to.equal(false);
      raw.socket.resume();
      const response = await raw.rest();
      expect(response).to.match(head === POST ? /^HTTP\/1.1 413 / : /^HTTP\/1.1 401 /);
      expect(response).to.match(/X-Request-Id: req_[^]*"message":/);
    });
  }

  for (const [what, bytes, status, kind] of [
    ['no Host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['CONNECT with data', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01', 405, 'method_not_allowed'],
  ] as const) {
    it(`respond to ${what} with ${status} in our form`, async () => {
      const raw = await client(await edge());
      raw.send(Buffer.from(bytes, 'latin1'));
      expect(await raw.until(/"message":"[^"]+"\}/))
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.match(/X-Request-Id: req_[0-9a-f]+\r\n/)
        .and.include('Content-Type: application/json')
        .and.include(`{"error":"${kind}",`);
    });
  }

  it('ask for the body with 100 Continue only when it is wanted', async () => {
    const world = await edge({ device: { createDevice: () => ({ job: { id: 'job_1' } }) } });
    const raw = await client(world);
    const expecting = 'Expect: 100-continue\r\n';
    raw.send(`${POST}${expecting}Content-Length: ${VALID.length}\r\n\r\n`);
    expect(await raw.until(/\r\n\r\n/)).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
    raw.send(VALID);
    expect(await raw.until(/job_1.*\}\}/)).to.match(/^HTTP\/1.1 202 /);

    for (const [request, status] of [
      [`POST /v1/devices HTTP/1.1\r\nHost: x\r\n${expecting}Content-Length: 5\r\n\r\n`, 401],
      [`${POST}${expecting}Content-Length: 9999999\r\n\r\n`, 413],
    ] as const) {
      const refused = await client(world);
      refused.send(request);
      // It is not known whether the body follows, so the connection cannot be used again.
      expect(await refused.rest()).to.match(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, 'i'));
    }
  });

  it('abort the rpc when the client hangs up', async () => {
    let aborted: () => void;
    const abortion = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    let called: () => void;
    const call = new Promise<void>((resolve) => {
      called = resolve;
    });
    const world = await edge({
      job: {
        getJob: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            called();
            signal.addEventListener('abort', () => {
              aborted();
              reject(new Error('stopped'));
            });
          }),
      },
    });
    const raw = await client(world);
    raw.send(`GET /v1/jobs/job_1?wait_s=60 HTTP/1.1\r\n${HEAD}\r\n`);
    await call;
    raw.socket.destroy();
    await abortion;
    // The log line by which it is counted is written a moment later.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(await world.metrics.metrics()).to.include('route="/v1/jobs/{id}",status="499"');
  });

  it('are closed when the client stops reading its response', async () => {
    const services = { device: { getDevice: () => ({ device: { model: 'x'.repeat(16 * 1024 * 1024) } }) } };
    const world = await edge(services, { silenceMs: 100 });
    let onStart: (message: unknown) => void = () => undefined;
    const accepted = new Promise<Socket>((resolve) => {
      onStart = (message) => resolve((message as { socket: Socket }).socket);
    });
    subscribe('http.server.request.start', onStart);
    const raw = await client(world);
    raw.socket.pause();
    raw.send(`GET /v1/devices/a HTTP/1.1\r\n${HEAD}\r\n`);
    const socket = await accepted;
    unsubscribe('http.server.request.start', onStart);
    await once(socket, 'close');
    expect(socket.bytesWritten).to.be.greaterThan(0);
  });

  it('do not take half a body for a request when the client hangs up', async () => {
    let created = 0;
    const world = await edge({
      device: {
        createDevice: () => {
          created++;
          return {};
        },
      },
    });
    const raw = await client(world);
    raw.send(`${POST}Content-Length: ${VALID.length + 1}\r\n\r\n${VALID}`);
    raw.socket.end();
    expect(await raw.rest()).not.to.include('HTTP/1.1 202');
    expect(created).to.equal(0);
  });

  it('are refused with one line that names the port when it is taken', async () => {
    const world = await edge();
    const failure: unknown = await world.gateway.listen('127.0.0.1', world.port).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect((failure as Error).message).to.equal(
      `Port ${world.port} on 127.0.0.1, wanted by the gateway (PORT), is taken by another program.`,
    );
  });
});
