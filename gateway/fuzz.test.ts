import { expect } from 'chai';
import { ApiError } from '../kit/errors/api-error.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { integersBelow, seededRandom } from '../testing/seeded-random.js';

const CASES = 1_000;
const SEED = 20_261_120;

describe(`the edge under ${CASES} made-up requests (seed ${SEED})`, () => {
  let world: EdgeWorld;
  before(async () => {
    const notFound = (): never => {
      throw new ApiError('not_found', 'There is no such device.');
    };
    world = await startEdge({
      device: {
        createDevice: () => ({ job: { id: 'job_1' } }),
        listDevices: () => ({}),
        getDevice: notFound,
        startDevice: notFound,
        stopDevice: notFound,
        restartDevice: notFound,
        deleteDevice: notFound,
      },
      job: { getJob: notFound, listJobs: () => ({}) },
      model: { listModels: () => ({}) },
      network: { listNetworkOptions: () => ({}) },
      screen: {
        getScreenshot: notFound,
        performAction: () => ({}),
        sendInput: ({ events }) => ({ sent: events.length }),
        getLogs: () => ({}),
        observe: notFound,
        act: () => ({}),
      },
      account: { signUp: () => ({}), getAccount: () => ({}) },
      session: { signIn: () => ({}) },
      usage: { getUsage: () => ({}) },
    });
  });
  after(() => world.close());

  it('never responds with 5xx, and every refusal is an error object', async () => {
    const random = integersBelow(seededRandom(SEED));
    const pick = <T>(items: readonly T[]): T => items[random(items.length)]!;
    const names = [
      ...new Set(world.gateway.routes.flatMap(({ rpc }) => rpc.input.fields.map(({ name }) => name))),
      'x',
      'y',
      'text',
      'element',
      'phase',
      'touch',
      'key',
      'ms',
      '__proto__',
      'constructor',
      '',
      'é',
      'type',
      'country',
    ];
    const scalars = [
      0,
      1,
      -1,
      1.5,
      1e308,
      2 ** 31,
      true,
      false,
      null,
      '',
      'a',
      'e7',
      'mobile',
      'home',
      '\u0000',
      '😀',
      'minute',
      'down',
      'png',
      'x'.repeat(11_000),
    ];
    const value = (depth: number): unknown => {
      const kind = random(depth > 4 ? 1 : 4);
      if (kind === 0) return pick(scalars);
      if (kind === 1) return Array.from({ length: random(4) }, () => value(depth + 1));
      return Object.fromEntries(Array.from({ length: random(5) }, () => [pick(names), value(depth + 1)]));
    };
    const damage = (text: string): string => {
      if (random(4) > 0 || text === '') return text;
      const at = random(text.length);
      return (
        text.slice(0, at) +
        pick(['', '"', '\\', '{', ']', '\u0000', '\ud800', 'null', ',,']) +
        text.slice(at + random(3))
      );
    };
    const statuses = new Map<number, number>();
    for (let number = 0; number < CASES; number++) {
      const { method: own, template } = pick(world.gateway.routes);
      const method = random(10) === 0 ? pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) : own;
      const path = template.replace(/\{\w+\}/g, () =>
        pick(['a', '%00', '%2e%2e', '%F0%9F%98%80', '%', 'A'.repeat(3_000), "'", '%0d%0a']),
      );
      const query = Array.from(
        { length: random(4) },
        () => `${pick(names)}=${pick(['', '1', '-1', '%zz', 'a', 'png', '9'.repeat(30)])}`,
      );
      const body = method === 'GET' || method === 'HEAD' ? undefined : damage(JSON.stringify(value(0)));
      const type = random(20) === 0 ? pick(['text/plain', 'application/json; charset=x', '']) : 'application/json';
      const response = await world.call(`${path}${query.length > 0 ? `?${query.join('&')}` : ''}`, {
        method,
        headers: {
          'content-type': type,
          accept: pick(['*/*', 'text/plain', '\u00ff']),
          'if-none-match': pick(['*', '"a"', '']),
        },
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const what = `case ${number}: ${method} ${path}?${query.join('&')} ${String(body)} -> ${response.status} ${text}`;
      expect(response.status, what).to.be.lessThan(500);
      expect(response.headers.get('x-request-id'), what).not.to.equal(null);
      if (method !== 'HEAD' && response.status >= 400) {
        const refusal = JSON.parse(text) as Record<string, unknown>;
        expect(Object.keys(refusal), what).to.deep.equal(['error', 'message']);
      }
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
    // Enough of the requests must get past each check for the test to mean something.
    for (const status of [200, 400, 404, 405, 415]) expect(statuses.get(status) ?? 0, `${status}`).to.be.greaterThan(3);
  });
});
