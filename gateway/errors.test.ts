import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { expect } from 'chai';
import { pino } from 'pino';
import {
  ApiError,
  type ErrorKind,
  errorKinds,
  INTERNAL_MESSAGE,
  UNAUTHORIZED_MESSAGE,
} from '../kit/errors/api-error.js';
import { type EdgeWorld, type FakeServices, READ_KEY, startEdge } from '../testing/edge-world.js';

describe('errors at the edge', () => {
  let world: EdgeWorld;
  let calls = 0;
  let failure: unknown;
  const lines: Record<string, unknown>[] = [];
  const services: FakeServices = {
    model: {
      listModels: () => {
        calls++;
        throw failure;
      },
    },
  };
  before(async () => {
    const log = pino(
      { level: 'info' },
      { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    );
    world = await startEdge(services, { log });
  });
  after(() => world.close());
  beforeEach(() => {
    calls = 0;
    lines.length = 0;
  });

  for (const kind of Object.keys(errorKinds) as ErrorKind[]) {
    if (errorKinds[kind].code === undefined) continue;
    it(`gives ${kind} of a service as ${errorKinds[kind].status} with its text`, async () => {
      failure = new ApiError(kind, `text of ${kind}`, { retryAfterS: 17 });
      const response = await world.call('/v1/models');
      expect(response.status).to.equal(errorKinds[kind].status);
      expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(await response.json()).to.deep.equal({ error: kind, message: `text of ${kind}` });
      const retryAfter = kind === 'rate_limited' || kind === 'unavailable' ? '17' : null;
      expect(response.headers.get('retry-after')).to.equal(retryAfter);
      expect(response.headers.get('www-authenticate')).to.equal(kind === 'unauthorized' ? 'Bearer' : null);
    });
  }

  it('sends Retry-After for unavailable also when the time is not known', async () => {
    failure = new ApiError('unavailable', 'gone');
    expect((await world.call('/v1/models')).headers.get('retry-after')).to.equal('1');
  });

  it('hides an unexpected error, and logs it', async () => {
    failure = new Error('secret at /srv/x.js:1');
    const response = await world.call('/v1/models');
    expect(response.status).to.equal(500);
    expect(await response.json()).to.deep.equal({ error: 'internal', message: INTERNAL_MESSAGE });
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ route: '/v1/models', status: 500 });
    expect(lines[0]).to.have.property('err');
  });

  it('gives 401 before anything else is checked, with one text for a missing and a wrong key', async () => {
    for (const headers of [
      undefined,
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic x' },
      { authorization: '' },
    ]) {
      const response = await fetch(`${world.base}/v1/models?unknown=1`, { ...(headers && { headers }) });
      expect(response.status).to.equal(401);
      expect(response.headers.get('www-authenticate')).to.equal('Bearer');
      expect(await response.json()).to.deep.equal({ error: 'unauthorized', message: UNAUTHORIZED_MESSAGE });
    }
    expect(calls).to.equal(0);
  });

  it('gives 403 to a read-only key on every route that is not a GET, before the body is read', async () => {
    const routes = world.gateway.routes.filter(({ method, scope }) => method !== 'GET' && scope !== Scope.PUBLIC);
    expect(routes.length).to.be.greaterThan(5);
    for (const { method, template } of routes) {
      const response = await world.call(template.replace(/\{\w+\}/g, 'x'), {
        method,
        headers: { authorization: `Bearer ${READ_KEY}`, 'content-type': 'text/plain' },
        ...(method === 'POST' && { body: 'not json' }),
      });
      expect(response.status, template).to.equal(403);
      expect(await response.json()).to.have.property('error', 'forbidden');
    }
  });

  it('responds with 504 when a service does not respond in time', async () => {
    const slow = await startEdge(
      { model: { listModels: () => new Promise(() => undefined) } },
      { limits: { callTimeoutMs: 30 } },
    );
    const response = await slow.call('/v1/models');
    expect(response.status).to.equal(504);
    expect(await response.json()).to.deep.equal({
      error: 'timeout',
      message: 'There was no response within 0.03 s. Try again.',
    });
    await slow.close();
  });

  it('responds with 500 when a service breaks its contract, for example with a number that JSON cannot represent', async () => {
    const broken = await startEdge({
      screen: { observe: () => ({ observation: { screenshot: { scale: NaN } } }) },
    });
    const response = await broken.call('/v1/devices/a/observe');
    expect(response.status).to.equal(500);
    await broken.close();
  });

  it('responds with 500 in the same form when a service names a header value that HTTP does not allow', async () => {
    const broken = await startEdge({
      screen: { getScreenshot: () => ({ image: { contentType: 'image/png', etag: '"a\r\nX-Evil: 1"' } }) },
    });
    const response = await broken.call('/v1/devices/a/screenshot');
    expect(response.status).to.equal(500);
    expect(response.headers.get('x-evil')).to.equal(null);
    expect(response.headers.get('etag')).to.equal(null);
    expect(response.headers.get('ratelimit-remaining')).not.to.equal(null);
    expect(await response.json()).to.deep.equal({ error: 'internal', message: INTERNAL_MESSAGE });
    await broken.close();
  });
});
