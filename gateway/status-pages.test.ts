import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import Koa from 'koa';
import type { OwnTrust } from '../kit/https/server-certificate.js';
import { OpenCall } from '../kit/call/call.js';
import { FakeClock } from '../testing/fake-clock.js';
import { selfSigned } from '../testing/self-signed.js';
import { until } from '../testing/until.js';
import type { State } from './context.js';
import { renderErrors } from './middleware/render-errors.js';
import { createStatusPages } from './status-pages.js';

describe('the status pages at the edge', () => {
  const clock = new FakeClock();
  const servers: Server[] = [];
  let asked: string[];
  let respond: RequestListener;

  beforeEach(() => {
    asked = [];
    respond = (_request, response) => response.setHeader('etag', '"a"').end('all is well');
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  const onRequest: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    // A client that keeps its connection would have it for ten minutes.
    response.setHeader('keep-alive', 'timeout=600');
    respond(request, response);
  };
  async function portOf(server: Server): Promise<number> {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }
  /** Starts an edge with these pages alone. */
  async function startEdge(statusUrl: string, statusTrust?: () => OwnTrust): Promise<string> {
    const app = new Koa<State>();
    app.use(async (ctx, next) => {
      const trace = { traceparent: '' };
      const call = new OpenCall({ clock, timeoutMs: 60_000, requestId: 'r', trace });
      ctx.state.call = call;
      ctx.res.once('close', () => {
        if (!ctx.res.writableFinished) call.hangUp();
        call.end();
      });
      await next();
    });
    app.use(renderErrors());
    app.use(createStatusPages({ statusUrl, statusTrust, clock }).routes());
    const handle = app.callback();
    return `http://127.0.0.1:${await portOf(createServer((request, response) => void handle(request, response)))}`;
  }
  const startPlain = async (): Promise<string> =>
    startEdge(`http://127.0.0.1:${await portOf(createServer(onRequest))}`);

  it('ask the status service once for all who wait, also when one of them leaves, and again a second later', async () => {
    const edge = await startPlain();
    let release = (): void => undefined;
    respond = (_request, response) => void (release = () => void response.setHeader('etag', '"a"').end('all is well'));
    const leaves = new AbortController();
    const left = fetch(`${edge}/status`, { signal: leaves.signal }).catch(() => undefined);
    await until(() => asked.length === 1);
    const waiting = Array.from({ length: 50 }, () => fetch(`${edge}/status`));
    leaves.abort();
    await left;
    // A page of its own shows that the others have come to the edge.
    respond = (_request, response) => response.end('{}');
    await (await fetch(`${edge}/status.json`)).text();
    release();
    for (const response of await Promise.all(waiting)) expect(await response.text()).to.equal('all is well');
    const known = await fetch(`${edge}/status`, { headers: { 'if-none-match': '"a"' } });
    expect([known.status, await known.text()]).to.deep.equal([304, '']);
    expect((await fetch(`${edge}/status`, { method: 'HEAD' })).status).to.equal(200);
    expect(asked).to.deep.equal(['/status', '/status.json']);
    respond = (_request, response) => response.end('all is new');
    clock.turn(1_000);
    expect(await (await fetch(`${edge}/status`)).text()).to.equal('all is new');
    expect(asked).to.have.length(3);
  });

  it('are unavailable for a second when the status service fails, and are there again after it', async () => {
    const edge = await startPlain();
    respond = (request) => request.socket.destroy();
    for (let count = 0; count < 5; count++) expect((await fetch(`${edge}/status`)).status).to.equal(503);
    expect(asked).to.have.length(1);
    respond = (_request, response) => response.end('all is well');
    clock.turn(1_000);
    expect((await fetch(`${edge}/status`)).status).to.equal(200);
  });

  it('leave no connection to the status service open, also after a failure', async () => {
    const { key, cert } = selfSigned();
    const server = createSecureServer({ key, cert, keepAliveTimeout: 0 }, onRequest);
    let connections = 0;
    server.on('secureConnection', (socket) => {
      connections++;
      socket.on('error', () => undefined).once('close', () => connections--);
    });
    const url = `https://127.0.0.1:${await portOf(server)}`;
    const edge = await startEdge(url, () => ({
      ca: cert,
      allowPartialTrustChain: true,
      checkServerIdentity: () => undefined,
    }));
    for (const [status, listener] of [
      [200, respond],
      [503, (_request, response) => response.writeHead(302, { location: '/', 'content-length': '0' }).end()],
    ] satisfies [number, RequestListener][]) {
      respond = listener;
      expect((await fetch(`${edge}/status`)).status).to.equal(status);
      await until(() => connections === 0);
      clock.turn(1_000);
    }
    expect(asked).to.have.length(2);
  });
});
