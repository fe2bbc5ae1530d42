import { STATUS_CHECK_KEY } from '../kit/call/status-check-key.js';
import { expect } from 'chai';
import { pino } from 'pino';
import { CONTROL_KEY, type EdgeWorld, startEdge } from '../testing/edge-world.js';

describe('responses of the edge', () => {
  let world: EdgeWorld;
  const lines: string[] = [];
  let headersSeen = new Headers();
  before(async () => {
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    world = await startEdge(
      {
        screen: {
          getScreenshot: ({ ifNoneMatch }) => ({
            image: {
              contentType: 'image/png',
              data: new Uint8Array([0x89, 0x50, 0, 1]),
              etag: '"abc"',
              notModified: ifNoneMatch === '"abc"',
              ageMs: 12,
            },
          }),
          getLogs: ({ accept }) =>
            accept === 'text/plain'
              ? { text: { contentType: 'text/plain; charset=utf-8', data: new TextEncoder().encode('é\n') } }
              : { lines: [{ tag: 'a', time: { seconds: 0n, nanos: 0 } }] },
        },
        device: {
          getDevice: ({ name }, context) => {
            headersSeen = context.requestHeader;
            return { device: { name } };
          },
        },
      },
      { log },
    );
  });
  after(() => world.close());
  beforeEach(() => {
    lines.length = 0;
  });

  describe('that are not JSON', () => {
    it('have type, length, ETag, age and no-cache', async () => {
      const response = await world.call('/v1/devices/a/screenshot');
      expect(response.status).to.equal(200);
      expect(Object.fromEntries(response.headers)).to.include({
        'content-type': 'image/png',
        'content-length': '4',
        etag: '"abc"',
        'x-frame-age-ms': '12',
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      expect([...new Uint8Array(await response.arrayBuffer())]).to.deep.equal([0x89, 0x50, 0, 1]);
    });

    it('are 304 without a body when the caller has them', async () => {
      const response = await world.call('/v1/devices/a/screenshot', { headers: { 'if-none-match': '"abc"' } });
      expect(response.status).to.equal(304);
      expect(response.headers.get('etag')).to.equal('"abc"');
      expect(response.headers.get('content-type')).to.equal(null);
      expect(await response.text()).to.equal('');
    });

    it('have a length and no body for HEAD', async () => {
      const response = await world.call('/v1/devices/a/screenshot', { method: 'HEAD' });
      expect(response.headers.get('content-length')).to.equal('4');
      expect(response.headers.get('content-type')).to.equal('image/png');
    });

    it('are chosen by a request header that the route names', async () => {
      const text = await world.call('/v1/devices/a/logs', { headers: { accept: 'text/plain' } });
      expect(text.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(text.headers.get('x-frame-age-ms')).to.equal(null);
      expect(await text.text()).to.equal('é\n');
      const json = await world.call('/v1/devices/a/logs');
      expect(await json.json()).to.deep.equal({
        lines: [{ time: '1970-01-01T00:00:00.000Z', pid: 0, tid: 0, tag: 'a', message: '' }],
      });
    });

    it('do not let a header field be set by the query', async () => {
      const response = await world.call('/v1/devices/a/screenshot?if_none_match=x');
      expect(response.status).to.equal(400);
      expect(await response.text()).to.include('allowed: format, quality, max_size');
    });
  });

  describe('that are JSON', () => {
    it('are kept by no cache, errors included', async () => {
      for (const [path, status] of [
        ['/v1/devices/a', 200],
        ['/v1/devices/a?x=1', 400],
        ['/v1/nothing', 404],
      ] as const) {
        const response = await world.call(path);
        expect([response.status, response.headers.get('cache-control')], path).to.deep.equal([status, 'no-store']);
      }
    });
  });

  describe('and their X-Request-Id', () => {
    for (const id of ['a', 'mine 42 !~', 'x'.repeat(128)]) {
      it(`is the caller's own: ${id.slice(0, 12)}`, async () => {
        const response = await world.call('/v1/devices/a', { headers: { 'x-request-id': id } });
        expect(response.headers.get('x-request-id')).to.equal(id);
        expect(headersSeen.get('x-request-id')).to.equal(id);
        expect(JSON.parse(lines[0]!)).to.include({ request_id: id });
      });
    }

    for (const id of ['', 'x'.repeat(129), 'é', 'a\tb']) {
      it(`is a new one instead of ${JSON.stringify(id.slice(0, 12))}`, async () => {
        const response = await world.call('/v1/devices/a', { headers: { 'x-request-id': id } });
        expect(response.headers.get('x-request-id')).to.match(/^req_[0-9a-f]{32}$/);
        expect(headersSeen.get('x-request-id')).to.equal(response.headers.get('x-request-id'));
      });
    }

    it('is there on errors too, another one each time', async () => {
      const ids = await Promise.all(
        [1, 2, 3].map(async () => (await fetch(`${world.base}/x`)).headers.get('x-request-id')),
      );
      expect(new Set(ids).size).to.equal(3);
    });
  });

  describe('and their trace', () => {
    it("is the caller's, passed along with its state", async () => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      await world.call('/v1/devices/a', { headers: { traceparent, tracestate: 'a=b' } });
      expect(headersSeen.get('traceparent')).to.equal(traceparent);
      expect(headersSeen.get('tracestate')).to.equal('a=b');
    });

    for (const traceparent of [
      '',
      'x',
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      `00-${'A'.repeat(32)}-00f067aa0ba902b7-01`,
    ]) {
      it(`is a new one instead of "${traceparent}"`, async () => {
        await world.call('/v1/devices/a', { headers: { traceparent } });
        expect(headersSeen.get('traceparent'))
          .to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
          .and.not.equal(traceparent);
      });
    }
  });

  it('carry the key to the service, and the log line has neither key, path nor query', async () => {
    await world.call('/v1/devices/secret-name');
    expect(headersSeen.get('authorization')).to.equal(`Bearer ${CONTROL_KEY}`);
    await world.call('/v1/devices/secret-name/logs?tag=secret-tag');
    await fetch(`${world.base}/secret-path?secret-query`);
    expect(lines).to.have.length(3);
    expect(lines.join('')).not.to.match(/secret|cp_control/);
    expect(JSON.parse(lines[0]!)).to.include({
      level: 30,
      msg: 'request',
      method: 'GET',
      route: '/v1/devices/{name}',
      status: 200,
      key_id: 'key_1',
    });
    expect(JSON.parse(lines[0]!)).to.have.property('duration_ms').that.is.a('number');
    expect(JSON.parse(lines[2]!)).to.include({ route: 'none', status: 404, error: 'not_found' });
  });

  it('that refuse the checks of the status page are not logged, and those of other wrong keys are', async () => {
    for (const key of [STATUS_CHECK_KEY, `${STATUS_CHECK_KEY}0`]) {
      const response = await fetch(`${world.base}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      expect(response.status).to.equal(401);
    }
    expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).to.deep.equal([401]);
  });

  it('are counted by route and status', async () => {
    await world.call('/v1/devices/b');
    const text = await world.metrics.metrics();
    expect(text).to.match(
      /http_request_duration_seconds_count\{method="GET",route="\/v1\/devices\/\{name\}",status="200"\} \d+/,
    );
    expect(text).to.include('http_request_duration_seconds_count{method="other",route="none",status="404"}');
  });
});
