import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Agent } from 'undici';
import { FakeClock, settled } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { newDelivery } from '../deliveries/new-delivery.js';
import { sendAttempt } from './send-attempt.js';

/** The channel on which undici reports it. */
const STATUS_READ = 'undici:request:headers';

describe('an attempt at a receiver', () => {
  let limits: { responseTimeoutMs: number; drainResponseMs: number; maxResponseBytes: number };
  let clock: FakeClock;
  let dispatcher: Agent;
  let server: Server;
  let receiver: (response: ServerResponse) => void;
  let requests: number;
  let cutting: AbortController;

  beforeEach(async () => {
    limits = { responseTimeoutMs: 10_000, drainResponseMs: 1_000, maxResponseBytes: 100 };
    clock = new FakeClock();
    dispatcher = new Agent();
    cutting = new AbortController();
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      request.resume();
      receiver(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Runs once the sender has read the status of a response. */
  function afterStatus(run: () => void): void {
    const read = (): void => {
      unsubscribe(STATUS_READ, read);
      setImmediate(run);
    };
    subscribe(STATUS_READ, read);
  }

  function send() {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const event = { id: 'evt_1', type: 'test', accountId: 'acc_1', device: '', payload: Buffer.from('{}') };
    const trace = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
    const delivery = newDelivery(event, { keyId: 'key_1', url, secret: 'secret' }, { nowMs: clock.now(), trace });
    return sendAttempt({ dispatcher, clock, limits }, delivery, cutting.signal);
  }

  it('ends with the status once the rest of the response has been read, and leaves no timer', async () => {
    receiver = (response) => {
      response.writeProcessing();
      clock.turn(42);
      response.writeHead(200);
      setImmediate(() => response.end(Buffer.alloc(100)));
    };
    expect((await send())?.record)
      .to.include({ status: 200, ms: 42 })
      .and.not.have.property('error');
    expect(clock.timers).to.equal(0);
  });

  it('uses the connection for the next one', async () => {
    const connections = new Set();
    server.on('connection', (socket) => connections.add(socket));
    receiver = (response) => response.end('thank you');
    await send();
    // The client takes a turn of the event loop before it uses a connection again.
    await settled();
    await send();
    expect([requests, connections.size]).to.deep.equal([2, 1]);
  });

  it('is a timeout when there is no status in time, though there was an informational one', async () => {
    receiver = (response) => response.writeProcessing();
    const sent = send();
    await until(() => requests === 1);
    clock.turn(limits.responseTimeoutMs);
    expect((await sent)?.record).to.include({ error: 'timeout', ms: limits.responseTimeoutMs });
    expect(clock.timers).to.equal(0);
  });

  for (const [how, respond] of [
    ['too long', (response) => response.end(Buffer.alloc(101))],
    [
      'too slow',
      (response) => {
        afterStatus(() => clock.turn(limits.drainResponseMs));
        response.write('a');
      },
    ],
    [
      'broken off',
      (response) => {
        afterStatus(() => response.destroy());
        response.write('a');
      },
    ],
  ] satisfies [string, (response: ServerResponse) => void][]) {
    it(`keeps the status of a response that is ${how}`, async () => {
      receiver = (response) => respond(response.writeHead(500));
      const sent = await send();
      expect(sent?.record).to.deep.include({ status: 500, error: 'status_500', ms: 0 });
      expect(clock.timers).to.equal(0);
    });
  }

  for (const [what, type, sent, kept] of [
    ['text', 'text/plain', 'thank you\n', 'thank you\n'],
    ['JSON', 'application/problem+json; charset=utf-8', '{"error":"ü"}', '{"error":"ü"}'],
    ['text without a type', undefined, 'no', 'no'],
    ['nothing of an image', 'image/png', 'x', ''],
    ['nothing of an empty response', 'text/plain', '', ''],
    ['no control characters', 'text/html', '<b>\u0000\u001b[31m', '<b>\ufffd\ufffd[31m'],
  ] satisfies [string, string | undefined, string, string][]) {
    it(`keeps of a response: ${what}`, async () => {
      receiver = (response) => response.writeHead(500, type === undefined ? {} : { 'content-type': type }).end(sent);
      expect((await send())?.response).to.equal(kept);
    });
  }

  it('keeps at most 2 KiB of a response, and no half of a character', async () => {
    limits.maxResponseBytes = 64 * 1024;
    receiver = (response) => response.end(`a${'ü'.repeat(20_000)}`);
    expect((await send())?.response).to.equal(`a${'ü'.repeat(1_023)}`);
    receiver = (response) => response.end(Buffer.alloc(20_000, 0xff));
    expect(Buffer.byteLength((await send())?.response ?? '')).to.be.within(2_040, 2_048);
  });

  it('keeps what came of a response that broke off', async () => {
    receiver = (response) => {
      afterStatus(() => setTimeout(() => response.destroy(), 5));
      response.writeHead(500).write('the database is');
    };
    const sent = await send();
    expect(sent?.record).to.include({ status: 500 });
    expect(sent?.response).to.equal('the database is');
  });

  it('has no outcome when it is cut before there is a status, and keeps the status when it is cut after it', async () => {
    receiver = () => undefined;
    const waiting = send();
    await until(() => requests === 1);
    cutting.abort();
    expect(await waiting).to.equal(undefined);
    expect(clock.timers).to.equal(0);

    cutting = new AbortController();
    receiver = (response) => {
      afterStatus(() => cutting.abort());
      response.writeHead(200).write('a');
    };
    expect((await send())?.record).to.include({ status: 200 });
  });

  it('is never sent when it was cut before', async () => {
    cutting.abort();
    expect(await send()).to.equal(undefined);
    expect(requests).to.equal(0);
  });
});
