import { expect } from 'chai';
import { startEdge, CONTROL_KEY, type EdgeWorld } from '../../testing/edge-world.js';
import { EDGE_LIMITS } from '../../gateway/limits.js';
import { windowsShared } from '../../gateway/rates/shared-windows.js';
import { until } from '../../testing/until.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../../kit/errors/api-error.js';
import { silentLog } from '../../kit/log/log.js';
import { create } from '@bufbuild/protobuf';
import { CallerSchema } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { openTemporaryDatabase } from '../temporary-database.js';

const { maxKeyRequests, maxAccountRequests, maxDeviceRequests, maxSessionRequests, maxAnonymousRequests } = EDGE_LIMITS;
/** The limits as they are in the product. */
const limits = { maxKeyRequests, maxAccountRequests, maxDeviceRequests, maxSessionRequests, maxAnonymousRequests };

describe('rate limits', () => {
  let clock: FakeClock;
  let world: EdgeWorld;

  beforeEach(async () => {
    clock = new FakeClock();
    world = await startEdge(
      { model: { listModels: () => ({}) }, device: { getDevice: () => ({}) } },
      { clock, limits, authenticate },
    );
  });
  afterEach(() => world.close());

  /** Every `Bearer key-N` is a key of one account; `Session N` a session. */
  async function authenticate(authorization: string) {
    const [kind, id = ''] = authorization.split(' ');
    if (!/^(key|cp_|cps_)/.test(id)) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
    const scope = kind === 'Session' ? Scope.PERSON : Scope.CONTROL;
    const accountId = id === 'key-other' ? 'acc_2' : 'acc_1';
    return create(CallerSchema, { accountId, keyId: id, scope, allDevices: true });
  }

  const ask = (path: string, key = CONTROL_KEY): Promise<Response> =>
    world.call(path, { headers: { authorization: `Bearer ${key}` } });

  const rateHeaders = ({ headers }: Response): (number | null)[] =>
    ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => {
      const value = headers.get(name);
      return value === null ? null : Number(value);
    });

  it('allow a key 60 requests in a window that begins with its first one', async () => {
    const responses = await Promise.all(Array.from({ length: 75 }, () => ask('/v1/models')));
    expect(responses.filter(({ status }) => status === 200)).to.have.length(60);
    const refused = responses.find(({ status }) => status === 429);
    expect(rateHeaders(refused!)).to.deep.equal([60, 0, 60, 60]);
    expect(await refused!.json()).to.have.property('error', 'rate_limited');
    clock.turn(59_001);
    expect(rateHeaders(await ask('/v1/models'))).to.deep.equal([60, 0, 1, 1]);
    clock.turn(999);
    expect(rateHeaders(await ask('/v1/models'))).to.deep.equal([60, 59, 60, null]);
  });

  it('count keys apart, and a device over all keys', async () => {
    const statuses: number[] = [];
    for (const key of ['key-1', 'key-2', 'key-3']) {
      for (let request = 0; request < 50; request++) {
        statuses.push((await ask('/v1/devices/phone-1', key)).status);
      }
    }
    expect(statuses.filter((status) => status === 200)).to.have.length(120);
    const other = await ask('/v1/devices/phone-2', 'key-3');
    expect(rateHeaders(other)).to.deep.equal([60, 9, 60, null]);
    const refused = await ask('/v1/devices/phone-1', 'key-4');
    expect(rateHeaders(refused)).to.deep.equal([120, 0, 60, 60]);
    expect(await refused.text()).to.contain('this device');
  });

  it('keep no window for a name that no device can have', async () => {
    const long = `/v1/devices/${'x'.repeat(41)}`;
    for (const key of ['key-1', 'key-2', 'key-3']) {
      for (let request = 0; request < 45; request++) expect((await ask(long, key)).status).to.equal(200);
    }
    expect(rateHeaders(await ask(long, 'key-4'))).to.deep.equal([60, 59, 60, null]);
  });

  it('report the tighter of the two', async () => {
    for (const key of ['key-1', 'key-2', 'key-3']) {
      for (let request = 0; request < 25; request++) await ask('/v1/devices/phone-1', key);
    }
    expect(rateHeaders(await ask('/v1/devices/phone-1', 'key-4'))).to.deep.equal([120, 44, 60, null]);
    expect(rateHeaders(await ask('/v1/devices/phone-1', 'key-1'))).to.deep.equal([60, 34, 60, null]);
  });

  it('never refuse a client twice that waits for Retry-After', async () => {
    // Uneven steps, so that the two windows end at different times.
    let refusals = 0;
    for (let request = 0; request < 1_000; request++) {
      const response = await ask(`/v1/devices/phone-${request % 2}`, `key-${request % 3}`);
      if (response.status === 429) {
        refusals++;
        clock.turn(Number(response.headers.get('retry-after')) * 1_000);
        const again = await ask(`/v1/devices/phone-${request % 2}`, `key-${request % 3}`);
        expect(again.status).to.equal(200);
      }
      clock.turn((request * 37) % 190);
    }
    // Three keys have 180 requests before all must wait, and one wait opens all their windows again: 1,000 requests wait 5 times.
    expect(refusals).to.equal(5);
  });

  it('count an account over all its keys and sessions, and another account apart', async () => {
    const small = await startEdge(
      { model: { listModels: () => ({}) } },
      { clock, authenticate, limits: { ...limits, maxAccountRequests: 100 } },
    );
    try {
      const call = (key: string) => small.call('/v1/models', { headers: { authorization: `Bearer ${key}` } });
      const statuses: number[] = [];
      for (const key of ['key-1', 'key-2', 'key-3']) {
        for (let request = 0; request < 40; request++) statuses.push((await call(key)).status);
      }
      expect(statuses.filter((status) => status === 200)).to.have.length(100);
      const refused = await call('key-4');
      expect(rateHeaders(refused)).to.deep.equal([100, 0, 60, 60]);
      expect(await refused.text()).to.contain('this account');
      const cookie = `cp_session=cps_${'a'.repeat(43)}`;
      expect((await fetch(`${small.base}/v1/models`, { headers: { cookie } })).status).to.equal(429);
      expect((await call('key-other')).status).to.equal(200);
      clock.turn(60_000);
      expect(rateHeaders(await call('key-1'))).to.deep.equal([60, 59, 60, null]);
    } finally {
      await small.close();
    }
  });

  it('bound the requests of an account that are under way', async () => {
    let respond = (): void => undefined;
    const held = new Promise<void>((resolve) => (respond = resolve));
    const small = await startEdge(
      { device: { getDevice: () => held.then(() => ({})) }, model: { listModels: () => ({}) } },
      { authenticate, limits: { maxRequestsUnderWay: 3 } },
    );
    try {
      const call = (path: string, key: string) => small.call(path, { headers: { authorization: `Bearer ${key}` } });
      const waiting = Array.from({ length: 3 }, (_, n) => call('/v1/devices/phone-1', `key-${n}`));
      await until(async () => (await call('/v1/models', 'key-9')).status === 429);
      const refused = await call('/v1/models', 'key-9');
      expect(rateHeaders(refused)[3]).to.equal(1);
      expect(await refused.json()).to.have.property('error', 'rate_limited');
      expect((await call('/v1/models', 'key-other')).status).to.equal(200);
      respond();
      expect((await Promise.all(waiting)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect((await call('/v1/models', 'key-9')).status).to.equal(200);
    } finally {
      respond();
      await small.close();
    }
  });

  it('give a panel session more', async () => {
    const cookie = `cp_session=cps_${'a'.repeat(43)}`;
    const response = await fetch(`${world.base}/v1/models`, { headers: { cookie } });
    expect(rateHeaders(response)).to.deep.equal([600, 599, 60, null]);
  });

  it('are on every response, also to anonymous clients and on errors, and count anonymous clients by address', async () => {
    for (const [path, key, status, limit] of [
      ['/v1/models', 'wrong', 401, 6_000],
      ['/v1/nothing', CONTROL_KEY, 404, 6_000],
      ['/v1/models?x=1', CONTROL_KEY, 400, 60],
    ] as const) {
      const response = await ask(path, key);
      expect(response.status, path).to.equal(status);
      expect(rateHeaders(response)[0], path).to.equal(limit);
    }
    const small = await startEdge({}, { limits: { ...limits, maxAnonymousRequests: 3 } });
    const statuses: number[] = [];
    for (let request = 0; request < 5; request++) {
      statuses.push((await small.call('/v1/models', { headers: { authorization: 'Bearer wrong' } })).status);
    }
    await small.close();
    expect(statuses).to.deep.equal([401, 401, 401, 429, 429]);
  });

  it('hold across gateways that share a database', async () => {
    const opened = await openTemporaryDatabase();
    const edges = await Promise.all(
      Array.from({ length: 3 }, () =>
        startEdge(
          { model: { listModels: () => ({}) } },
          { limits, authenticate, openWindows: windowsShared(opened.database, new FakeClock(), silentLog) },
        ),
      ),
    );
    try {
      const responses = await Promise.all(Array.from({ length: 90 }, (_, n) => edges[n % 3]!.call('/v1/models')));
      expect(responses.filter(({ status }) => status === 200)).to.have.length(60);
      const refused = responses.find(({ status }) => status === 429);
      expect(rateHeaders(refused!)[3]).to.be.within(1, 60);
    } finally {
      for (const edge of edges) await edge.close();
      await opened.close();
    }
  });
});
