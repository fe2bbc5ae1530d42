import { ScalarType } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { startWorld, type World } from '../world.js';

/** GETs whose response has a list that is not a page of things: text of the phone's own, and parts of one thing. */
const NO_LISTS = [
  '/v1/account/second-factors',
  '/v1/accounts',
  '/v1/devices/{name}/logs',
  '/v1/devices/{name}/observe',
  '/v1/groups/{id}',
  '/v1/schedules/{id}',
  '/v1/topups/options',
];

describe('lists over REST', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
    for (const name of ['c', 'a', 'd', 'b']) await world.api.createPhone({ name });
    for (const name of ['b', 'd']) await world.api.done(await world.api.post(`/v1/devices/${name}/stop`));
    // The health of stopped devices is not checked, so this stays.
    const problem = { kind: 'storage_full', message: 'The storage is full.', since: new Date() };
    await world.database.collection('devices').updateMany({ name: { $in: ['b', 'd'] } }, { $set: { problem } });
  });
  after(() => world.close());

  it('take limit and cursor, all of them', () => {
    const lists = world.mesh.routes.filter(
      ({ method, template, rpc }) =>
        method === 'GET' &&
        !NO_LISTS.includes(template) &&
        rpc.output.fields.some((field) => field.fieldKind === 'list' && field.listKind === 'message'),
    );
    expect(lists.length).to.be.greaterThan(10);
    for (const { template, rpc } of lists) {
      const { limit, cursor } = rpc.input.field;
      expect(limit, `${template} limit`).to.include({ fieldKind: 'scalar', scalar: ScalarType.INT32 });
      expect(cursor, `${template} cursor`).to.include({ fieldKind: 'scalar', scalar: ScalarType.STRING });
      expect(rpc.output.field, `${template} next_cursor`).to.have.property('nextCursor');
    }
  });

  /** Reads a list page by page. */
  async function readPages(path: string, field: string, limit: number) {
    const pages: unknown[][] = [];
    const bodies: Record<string, unknown>[] = [];
    for (let cursor = ''; pages.length < 100;) {
      const { status, body } = await world.api.get(`${path}?limit=${limit}${cursor}`);
      expect(status).to.equal(200);
      bodies.push(body);
      pages.push(body[field]);
      if (body.next_cursor === undefined) return { pages, bodies };
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
    }
    throw new Error(`the list ${path} has no end`);
  }

  for (const [path, field, most = 200] of [
    ['/v1/models', 'models'],
    ['/v1/network/options', 'options'],
    ['/v1/health', 'devices'],
    ['/v1/usage', 'devices'],
    ['/v1/usage/days', 'days', 10_000],
    ['/v1/devices', 'devices'],
    ['/v1/jobs', 'jobs'],
  ] as const satisfies [string, string, number?][]) {
    it(`return each item of ${path} once, page by page, in the same order`, async () => {
      const whole = (await world.api.get(path)).body[field] as unknown[];
      expect(whole.length).to.be.greaterThan(1);
      for (const limit of [1, 3, whole.length]) {
        const { pages } = await readPages(path, field, limit);
        expect(pages.flat().map(nameOf)).to.deep.equal(whole.map(nameOf));
        expect(pages.every(({ length }) => length <= limit)).to.equal(true);
      }
    });

    it(`refuse a limit of ${path} that is out of bounds, and a cursor that is none`, async () => {
      for (const [query, named] of [
        ['limit=0', 'limit'],
        [`limit=${most + 1}`, 'limit'],
        ['limit=x', 'limit'],
        ['cursor=%21', 'cursor'],
      ] as const) {
        const { status, body } = await world.api.get(`${path}?${query}`);
        expect(status, query).to.equal(400);
        expect(body, query).to.have.property('error', 'bad_request');
        expect(body.message, query).to.contain(named);
      }
    });
  }

  it('say on every page of /v1/health whether any device has a problem, those with one first', async () => {
    const { pages, bodies } = await readPages('/v1/health', 'devices', 1);
    expect(pages.flat().map(nameOf)).to.deep.equal(['b', 'd', 'a', 'c']);
    expect(bodies.map(({ status }) => status)).to.deep.equal(Array.from({ length: 4 }, () => 'problem'));
  });

  it('have the total of all devices on every page of /v1/usage', async () => {
    const { bodies } = await readPages('/v1/usage', 'devices', 3);
    expect(bodies).to.have.length(2);
    for (const { total, from } of bodies) {
      expect((total as { minutes: number }).minutes).to.be.at.least(4);
      expect(from).to.be.a('string');
    }
  });
});

/** Returns the value that is unique to an item of a list. */
function nameOf(item: unknown): unknown {
  const { name, device, id, model, type, country } = item as Record<string, unknown>;
  return name ?? id ?? device ?? model ?? `${String(type)} ${String(country)}`;
}
