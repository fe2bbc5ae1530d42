import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { CloudPhone } from './cloud-phone.js';
import { CloudPhoneError } from './errors.js';

type Reply = readonly [status: number, body: unknown, headers?: Record<string, string>] | Error;

interface Scripted {
  phone: CloudPhone;
  sent: Request[];
  waitsMs: number[];
}

/** A client whose requests get these replies, one after the other. */
function scripted(replies: readonly Reply[]): Scripted {
  const sent: Request[] = [];
  const waitsMs: number[] = [];
  const phone = new CloudPhone({
    url: 'http://service.example/v1/',
    key: 'cp_secret',
    fetch: async (request) => {
      const reply = replies[sent.length];
      sent.push(request);
      // A real fetch reads the body, too.
      await request.text();
      if (reply === undefined) throw new Error('more requests than replies');
      if (reply instanceof Error) throw reply;
      const [status, body, headers] = reply;
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
      });
    },
    wait: async (ms) => void waitsMs.push(ms),
  });
  return { phone, sent, waitsMs };
}

const DEVICES = { devices: [] };
const BODY = { model: 'm', network: { type: 'direct', country: 'us' }, plan: 'minute' } as const;
const LATER = { error: 'rate_limited', message: 'Later.' };
const AWAY = { error: 'unavailable', message: 'Away.' };
const lost = new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

describe('requests of the client', () => {
  it('carry the key, and are the paths of the reference below the base URL', async () => {
    const { phone, sent } = scripted([[200, DEVICES]]);
    expect(await phone.get('/v1/devices', { params: { query: { limit: 2 } } })).to.deep.equal(DEVICES);
    expect(sent[0]!.url).to.equal('http://service.example/v1/devices?limit=2');
    expect(sent[0]!.headers.get('authorization')).to.equal('Bearer cp_secret');
  });

  it('are repeated after the time that Retry-After names', async () => {
    const { phone, waitsMs } = scripted([
      [429, LATER, { 'retry-after': '7' }],
      [503, AWAY, { 'retry-after': '2' }],
      [200, DEVICES],
    ]);
    await phone.get('/v1/devices');
    expect(waitsMs).to.have.length(2);
    expect(waitsMs[0]).to.be.within(7_000, 7_500);
    expect(waitsMs[1]).to.be.within(2_000, 2_500);
  });

  it('are repeated later and later when no time is named, five attempts in all', async () => {
    const { phone, sent, waitsMs } = scripted(Array.from({ length: 9 }, () => [504, AWAY] as const));
    const error: unknown = await phone.get('/v1/devices').catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(CloudPhoneError).and.include({ kind: 'unavailable', status: 504 });
    expect(sent).to.have.length(5);
    waitsMs.forEach((ms, index) => expect(ms).to.be.within(500 * 2 ** index, 500 * 2 ** index + 500));
  });

  it('are repeated with an Idempotency-Key when the connection was lost, with the same body', async () => {
    const { phone, sent } = scripted([lost, [503, AWAY], [202, { job: { id: 'job_1' } }]]);
    await phone.post('/v1/devices', { body: BODY, params: { header: { 'Idempotency-Key': 'once' } } });
    expect(sent.map(({ headers }) => headers.get('idempotency-key'))).to.deep.equal(['once', 'once', 'once']);
  });

  it('are not repeated where they may have had an effect', async () => {
    for (const reply of [lost, [503, AWAY, { 'retry-after': '1' }], [504, AWAY], [500, AWAY]] as const) {
      for (const call of [
        (phone: CloudPhone) => phone.post('/v1/devices', { body: BODY }),
        (phone: CloudPhone) => phone.delete('/v1/devices/{name}', { params: { path: { name: 'demo' } } }),
      ]) {
        const { phone, sent } = scripted([reply, [202, {}]]);
        expect(await call(phone).catch((reason: unknown) => reason)).to.be.instanceOf(CloudPhoneError);
        expect(sent).to.have.length(1);
      }
    }
  });

  it('of every kind are repeated after a 429, as nothing was done, unless it names no time or a long one', async () => {
    const repeated = scripted([
      [429, LATER, { 'retry-after': '3' }],
      [202, { job: {} }],
    ]);
    await repeated.phone.post('/v1/devices/{name}/stop', { params: { path: { name: 'demo' } } });
    expect(repeated.sent).to.have.length(2);
    for (const headers of [{}, { 'retry-after': '61' }]) {
      const { phone, sent } = scripted([[429, LATER, headers]]);
      const error: unknown = await phone.get('/v1/devices').catch((reason: unknown) => reason);
      expect(error).to.include({ kind: 'rate_limited' });
      expect(sent).to.have.length(1);
    }
  });

  it('fail with the kind, the text, the status and the id of the response', async () => {
    const { phone } = scripted([[409, { error: 'busy', message: 'It runs already.' }, { 'x-request-id': 'req_1' }]]);
    const error: unknown = await phone.post('/v1/devices', { body: BODY }).catch((reason: unknown) => reason);
    const facts = { kind: 'busy', message: 'It runs already.', status: 409, requestId: 'req_1' };
    expect(error).to.be.instanceOf(CloudPhoneError).and.include(facts);
  });

  it('fail in plain words when the response is not of the service, and when there is none', async () => {
    const proxy = scripted([[403, '<html>Forbidden</html>']]);
    const error: unknown = await proxy.phone.get('/v1/devices').catch((reason: unknown) => reason);
    expect(error).to.include({ kind: 'unexpected', status: 403 });
    const away = scripted([lost, lost, lost, lost, lost]);
    const unreachable: unknown = await away.phone.get('/v1/devices').catch((reason: unknown) => reason);
    expect(unreachable).to.include({ kind: 'unreachable', status: 0 });
    expect((unreachable as Error).message).to.equal(
      'http://service.example cannot be reached: ECONNRESET. Check the base URL and that the service runs.',
    );
  });

  describe('whose response breaks off', () => {
    const json = { 'content-type': 'application/json; charset=utf-8' };
    const breakOff: RequestListener = (_request, response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' }).write('{"devices":');
      setImmediate(() => response.destroy());
    };
    const outcomeOf = (error: unknown): unknown => [error instanceof CloudPhoneError, (error as CloudPhoneError).kind];

    /** Serves the requests by these in turn, then by the last one. Returns the number of requests. */
    async function serving(turns: RequestListener[], use: (phone: CloudPhone) => Promise<void>): Promise<number> {
      let count = 0;
      const server = createServer((request, response) => {
        turns[Math.min(count++, turns.length - 1)]?.(request, response);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
      try {
        await use(new CloudPhone({ url, key: 'cp_secret', wait: async () => undefined }));
      } finally {
        server.closeAllConnections();
        server.close();
      }
      return count;
    }

    it('are repeated when they change nothing, and get the bytes of the whole response', async () => {
      const whole: RequestListener = (_request, response) => {
        const bytes = gzipSync(JSON.stringify(DEVICES));
        response.writeHead(200, { ...json, 'content-encoding': 'gzip', 'x-request-id': 'req_2' }).end(bytes);
      };
      const count = await serving([breakOff, whole], async (phone) => {
        const response = await phone.request('GET', '/v1/devices');
        const { status, statusText, headers } = response;
        expect([status, statusText, headers.get('x-request-id')]).to.deep.equal([200, 'OK', 'req_2']);
        expect(await response.json()).to.deep.equal(DEVICES);
        expect(await phone.get('/v1/devices')).to.deep.equal(DEVICES);
      });
      expect(count).to.equal(3);
    });

    it('fail as unreachable, and are not repeated where they have had an effect', async () => {
      const changes = await serving([breakOff], async (phone) => {
        const stop = phone.post('/v1/devices/{name}/stop', { params: { path: { name: 'demo' } } });
        expect(outcomeOf(await stop.catch((error: unknown) => error))).to.deep.equal([true, 'unreachable']);
      });
      expect(changes).to.equal(1);
      const reads = await serving([breakOff], async (phone) => {
        const error: unknown = await phone.get('/v1/devices').catch((reason: unknown) => reason);
        expect(outcomeOf(error)).to.deep.equal([true, 'unreachable']);
      });
      expect(reads).to.equal(5);
    });

    it('are read as they come where they may be large, and empty ones are as they are', async () => {
      let finish = (): void => undefined;
      const film: RequestListener = (_request, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4' }).write('first');
        finish = () => void response.end('second');
      };
      const unchanged: RequestListener = (_request, response) => void response.writeHead(304).end();
      const done: RequestListener = (_request, response) => void response.writeHead(204).end();
      await serving([film, unchanged, done], async (phone) => {
        const response = await phone.request('GET', '/v1/devices/demo/recordings/rec_1/content');
        const reader = response.body!.getReader();
        expect(Buffer.from((await reader.read()).value).toString()).to.equal('first');
        finish();
        expect(Buffer.from((await reader.read()).value).toString()).to.equal('second');
        expect((await phone.request('GET', '/v1/devices/demo/screenshot')).status).to.equal(304);
        expect((await phone.request('DELETE', '/v1/pools/a')).status).to.equal(204);
      });
    });
  });

  it('end with the reason of the signal, and wait no longer', async () => {
    const stop = new AbortController();
    const phone = new CloudPhone({
      ...{ url: 'http://service.example/v1', key: 'k' },
      fetch: async () => new Response(JSON.stringify(LATER), { status: 429, headers: { 'retry-after': '50' } }),
    });
    const asked = phone.get('/v1/devices', { signal: stop.signal }).catch((reason: unknown) => reason);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    expect(await asked)
      .to.be.instanceOf(Error)
      .and.have.property('message', 'enough');
  });

  it('hold no upload in memory: a stream is sent once', async () => {
    const { phone, sent } = scripted([[429, LATER, { 'retry-after': '1' }]]);
    const body = new Blob(['apk']) as never;
    const init = { params: { path: { name: 'demo' } }, body, bodySerializer: (given: unknown) => given };
    const headers = { 'content-type': 'application/octet-stream' };
    const error: unknown = await phone
      .post('/v1/devices/{name}/apk', { ...init, headers })
      .catch((reason: unknown) => reason);
    expect(error).to.include({ kind: 'rate_limited' });
    expect(sent).to.have.length(1);
  });
});
