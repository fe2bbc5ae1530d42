import { createServer, type Server } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../kit/async/clock.js';
import { DeliveryState } from '../../proto/gen/cloudphone/webhook/v1/delivery_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../temporary-database.js';
import { respondWith, type Behaviour, hang, Receiver } from './receiver.js';
import { selfSigned } from '../../testing/self-signed.js';
import { startWebhookWorld, type TestKey, type WebhookWorld } from './webhook-world.js';

/** Short, so that retries come at once; but a response that does come may be as late as a busy machine makes it. */
const limits = {
  responseTimeoutMs: 20_000,
  drainResponseMs: 100,
  retryDelaysMs: [20, 30],
  leaseMs: 60_000,
  scanSpacingMs: 5,
};
/** For receivers that never respond. They get the whole request in this time, also on a busy machine. */
const impatientLimits = { ...limits, responseTimeoutMs: 1_500 };

/** 50 KB that unfold to 50 MB. */
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));

describe('a receiver of webhooks that misbehaves', () => {
  let temporary: TemporaryDatabase[];
  let receiver: Receiver;
  let key: TestKey;
  let world: WebhookWorld;
  let impatient: WebhookWorld;
  let logged = '';
  let events = 0;

  before(async () => {
    temporary = [await openTemporaryDatabase(), await openTemporaryDatabase()];
    receiver = await new Receiver().listen();
    key = { keyId: 'key_1', url: receiver.url(), text: 'cp_faults' };
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        logged += chunk.toString();
        done();
      },
    });
    const log = pino({ level: 'trace' }, sink);
    [world, impatient] = [
      await startWebhookWorld({ database: temporary[0]!.database, keys: [key], limits, log }),
      await startWebhookWorld({ database: temporary[1]!.database, keys: [key], limits: impatientLimits, log }),
    ];
    // The first delivery takes longest, and is not the subject here.
    await deliver();
  });

  after(async () => {
    await Promise.all([world, impatient].map((one) => one.close()));
    await receiver.close();
    for (const one of temporary) await one.close();
  });

  /** Publishes an event to `url` and returns its delivery when nothing is to come. */
  async function deliver(url = receiver.url(), by = world) {
    key.url = url;
    await by.publish(`evt_${++events}`);
    const [delivery] = await by.finished(key);
    return delivery!;
  }

  const failures: [what: string, behave: Behaviour, error: string, status?: number][] = [
    ['redirects', respondWith(302, { location: '/elsewhere' }), 'redirect', 302],
    ['redirects for good, keeping the method', respondWith(308, { location: '/elsewhere' }), 'redirect', 308],
    ['refuses', respondWith(410), 'status_410', 410],
    ['fails', respondWith(500), 'status_500', 500],
    ['hangs', hang, 'timeout'],
    ['closes', (_request, _response, socket) => void socket.end(), 'reset'],
    ['resets', (_request, _response, socket) => void socket.resetAndDestroy(), 'reset'],
    ['speaks something else', (_request, _response, socket) => void socket.end('220 mail ready\r\n'), 'malformed'],
    [
      'sends headers without end',
      (_request, _response, socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`),
      'malformed',
    ],
    [
      'drips its headers',
      (_request, _response, socket) => {
        const drip = setInterval(() => socket.write('H'), 20);
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.on('close', () => clearInterval(drip));
      },
      'timeout',
    ],
    ['only says that it is working on it', (_request, response) => response.writeProcessing(), 'timeout'],
    [
      'changes the protocol',
      (_request, _response, socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
      'reset',
    ],
  ];
  for (const [what, behave, error, status] of failures) {
    it(`and ${what} gets three attempts, each with a reason`, async () => {
      receiver.behave = behave;
      const before = receiver.received.length;
      const delivery = await deliver(receiver.url(), error === 'timeout' ? impatient : world);
      expect(delivery.state).to.equal(DeliveryState.FAILED);
      expect(delivery.attempts.map((attempt) => [attempt.error, attempt.status])).to.deep.equal(
        Array(3).fill([error, status]),
      );
      const requests = receiver.received.slice(before);
      expect(requests.map(({ headers }) => headers['x-service-attempt'])).to.deep.equal(['1', '2', '3']);
      expect(new Set(requests.map(({ path }) => path))).to.deep.equal(new Set(['/hook']));
    });
  }

  const successes: [what: string, behave: Behaviour][] = [
    [
      'responds with 10 MB',
      (_request, response) => {
        response.writeHead(200);
        response.end(Buffer.alloc(10 * 1024 * 1024));
      },
    ],
    [
      'responds without end',
      (_request, response) => {
        const more = (): void => {
          if (!response.destroyed) response.write(Buffer.alloc(65_536), more);
        };
        more();
      },
    ],
    [
      'responds with a gzip bomb',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(bomb);
      },
    ],
    [
      'drips its response',
      (_request, response) => {
        const drip = setInterval(() => response.write('.'), 10);
        response.on('close', () => clearInterval(drip));
      },
    ],
    [
      'breaks off in its response',
      (_request, response, socket) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('.');
        setImmediate(() => socket.resetAndDestroy());
      },
    ],
  ];
  for (const [what, behave] of successes) {
    it(`and ${what} after its 200 has got the event, and is read no further than 64 KiB`, async () => {
      receiver.behave = behave;
      const heapBytes = process.memoryUsage().arrayBuffers;
      const delivery = await deliver();
      expect(delivery.state).to.equal(DeliveryState.DELIVERED);
      expect(delivery.attempts).to.have.length(1);
      expect(delivery.attempts[0]).to.include({ status: 200 });
      expect(process.memoryUsage().arrayBuffers - heapBytes).to.be.below(40 * 1024 * 1024);
    });
  }

  it('and is not there is an attempt with a reason', async () => {
    const closed = await new Receiver().listen();
    const url = closed.url();
    await closed.close();
    expect((await deliver(url)).attempts.map(({ error }) => error)).to.deep.equal(Array(3).fill('refused'));
    expect((await deliver('http://nobody.invalid/')).attempts.map(({ error }) => error)).to.deep.equal(
      Array(3).fill('dns'),
    );
    for (const wrong of ['ftp://127.0.0.1/', 'not a url', 'file:///etc/passwd', 'javascript:0']) {
      const delivery = await deliver(wrong);
      expect(
        delivery.attempts.map(({ error }) => error),
        wrong,
      ).to.deep.equal(Array(3).fill('url'));
    }
  });

  it('and has an untrusted certificate is not sent a byte of the event', async () => {
    const tls = await new Receiver(selfSigned()).listen();
    const delivery = await deliver(tls.url());
    expect(delivery.attempts.map(({ error }) => error)).to.deep.equal(Array(3).fill('tls'));
    expect(tls.received).to.have.length(0);
    await tls.close();
  });

  it('and speaks no TLS though the URL is https', async () => {
    const delivery = await deliver(receiver.url().replace('http:', 'https:'));
    expect(delivery.attempts.map(({ error }) => error)).to.deep.equal(Array(3).fill('tls'));
  });

  it('and takes the connection and never a byte', async () => {
    const sockets: Socket[] = [];
    const mute: Server = createServer((socket) => sockets.push(socket.pause()));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const delivery = await deliver(`http://127.0.0.1:${(mute.address() as AddressInfo).port}/`, impatient);
    expect(delivery.attempts.map(({ error }) => error)).to.deep.equal(Array(3).fill('timeout'));
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('is not reached by a URL with user-info: that is HTTP Basic, and never shown', async () => {
    receiver.behave = respondWith(200);
    const url = receiver.url('/hook?token=tok%20en').replace('http://', 'http://user:p%40ss@');
    const delivery = await deliver(url);
    expect(delivery.state).to.equal(DeliveryState.DELIVERED);
    const { headers, path } = receiver.received.at(-1)!;
    expect(headers.authorization).to.equal(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(path).to.equal('/hook?token=tok%20en');
    expect(delivery.url).to.equal(receiver.url('/hook?token=tok%20en'));
  });

  it('leaves nothing secret in the log', async () => {
    expect(logged).to.contain('attempt').and.to.contain('"reason":"timeout"');
    expect(logged).not.to.match(/p%40ss|p@ss|tok%20en|127\.0\.0\.1:|cp_faults/);
  });

  it('keeps no other receiver waiting, even many of them at the same time', async () => {
    const good = await new Receiver().listen();
    const hanging = await Promise.all(Array.from({ length: 12 }, () => new Receiver().listen()));
    const goodKey: TestKey = { keyId: 'good', url: good.url(), text: 'cp_good', devices: ['good'] };
    const keys: TestKey[] = [
      goodKey,
      ...hanging.map((one, at) => ({ keyId: `bad_${at}`, url: one.url(), text: `cp_bad_${at}`, devices: ['bad'] })),
    ];
    for (const one of hanging) one.behave = hang;
    const second = await openTemporaryDatabase();
    // 12 receivers x 16 attempts would take all of 128 slots and more, until after this test.
    const crowded = await startWebhookWorld({
      database: second.database,
      keys,
      limits: { ...limits, responseTimeoutMs: 120_000, leaseMs: 240_000, closeMs: 100, inAll: 128 },
    });
    await Promise.all(Array.from({ length: 30 }, (_, at) => crowded.publish(`bad_${at}`, { device: 'bad' })));
    await systemClock.sleep(50);
    for (let count = 0; count < 40; count++) {
      await crowded.publish(`good_${count}`, { device: 'good' });
      await good.until(count + 1);
    }
    expect((await crowded.finished(goodKey)).map(({ attempts }) => attempts.length)).to.deep.equal(Array(40).fill(1));
    await crowded.close();
    await Promise.all([good, ...hanging].map((one) => one.close()));
    await second.close();
  });
});
