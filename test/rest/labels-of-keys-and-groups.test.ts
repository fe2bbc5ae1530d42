import { expect } from 'chai';
import { type PanelClient, signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));
/** Each is refused where labels are given first. */
const REFUSED = [
  { Team: 'x' },
  { 'a:b': 'x' },
  { a: 'x'.repeat(64) },
  { a: 'x\ny' },
  { a: 1 },
  { a: '' },
  [],
  many(17),
];

describe('labels of keys', () => {
  let world: World;
  let panel: PanelClient;
  before(async () => {
    world = await startWorld();
    panel = await signIn(world);
  });
  after(() => world.close());

  const create = (name: string, labels?: unknown) =>
    panel.ask('POST', '/v1/keys', { name, scope: 'read', devices: ['*'], ...(labels !== undefined && { labels }) });
  const change = (id: string, body: object) => panel.ask('PATCH', `/v1/keys/${id}`, body);
  const named = async (query: string): Promise<unknown> =>
    (await panel.ask('GET', `/v1/keys?${query}`)).body.keys.map(({ name }: { name: string }) => name);

  it('are given at first or later, changed one by one, and stay with the other fields', async () => {
    const { body } = await create('ci', { team: 'qa', ring: 'a:b ü' });
    expect(body.key.labels).to.deep.equal({ ring: 'a:b ü', team: 'qa' });
    const id = body.key.id as string;
    expect((await change(id, { name: 'nightly' })).body.key.labels).to.deep.equal({ ring: 'a:b ü', team: 'qa' });
    const changed = await change(id, { scope: 'control', labels: { ring: '', 'build.id': '7' } });
    expect(changed.body.key).to.deep.include({
      name: 'nightly',
      scope: 'control',
      labels: { 'build.id': '7', team: 'qa' },
    });
    const none = await create('plain');
    expect(none.body.key.labels).to.deep.equal({});
    const given = await change(none.body.key.id as string, { labels: { team: 'dev' } });
    expect(given.body.key.labels).to.deep.equal({ team: 'dev' });
  });

  it('select keys of a list, page by page', async () => {
    for (const name of ['a', 'b', 'c']) await create(name, { suite: 'e2e' });
    expect(await named('label=suite:e2e')).to.deep.equal(['a', 'b', 'c']);
    const first = await panel.ask('GET', '/v1/keys?label=suite:e2e&limit=2');
    expect(await named(`label=suite:e2e&limit=2&cursor=${String(first.body.next_cursor)}`)).to.deep.equal(['c']);
    for (const label of ['suite:e', 'e2e:suite']) expect(await named(`label=${label}`), label).to.deep.equal([]);
    expect((await panel.ask('GET', '/v1/keys?label=suite')).body.message).to.contain('key:value');
  });

  it('of several callers at the same time are all kept, up to 16', async () => {
    const id = (await create('busy')).body.key.id as string;
    const labels = Array.from({ length: 8 }, (_, at) => ({ [`k${at}`]: 'x' }));
    const responses = await Promise.all(labels.map((label) => change(id, { labels: label })));
    expect(responses.map(({ status }) => status)).to.deep.equal(labels.map(() => 200));
    const refused = await change(id, { labels: many(9), name: 'renamed' });
    expect([refused.status, refused.body.message]).to.deep.equal([
      400,
      `labels: "${id}" would have 17 labels; at most 16 are possible.`,
    ]);
    const key = (await panel.ask('GET', '/v1/keys')).body.keys.find((one: { id: string }) => one.id === id);
    expect(key).to.deep.include({ name: 'busy', labels: Object.assign({}, ...labels) as object });
  });

  it('are refused where a key or value is not allowed, and of a key that is not there', async () => {
    for (const labels of REFUSED) expect((await create('x', labels)).status, JSON.stringify(labels)).to.equal(400);
    expect((await change('key_none', { labels: { team: 'qa' } })).status).to.equal(404);
  });
});

describe('labels of groups', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.api.createPhone({ name: 'one', start: false });
  });
  after(() => world.close());

  const run = (labels?: unknown, as = world.api) =>
    as.ask('POST', '/v1/groups', {
      devices: ['one'],
      steps: [{ wait: { ms: 1 } }],
      on_error: 'stop',
      ...(labels !== undefined && { labels }),
    });

  it('are shown by the group and the list, which they select', async () => {
    const labelled: string[] = [];
    for (const team of ['qa', 'dev', 'qa']) {
      const { body } = await run({ team, ring: '1' });
      expect(body.group.labels).to.deep.equal({ ring: '1', team });
      if (team === 'qa') labelled.unshift(body.group.id as string);
    }
    const plain = await run();
    expect(plain.body.group.labels).to.deep.equal({});
    const shown = await world.api.get(`/v1/groups/${labelled[0]!}`);
    expect(shown.body.group.labels).to.deep.equal({ ring: '1', team: 'qa' });
    const { body } = await world.api.get('/v1/groups?label=team:qa');
    expect(body.groups.map(({ id }: { id: string }) => id)).to.deep.equal(labelled);
    expect(body.groups[0].labels).to.deep.equal({ ring: '1', team: 'qa' });
    expect((await world.api.get('/v1/groups?label=team:none')).body.groups).to.deep.equal([]);
    expect((await world.api.get('/v1/groups?label=team')).status).to.equal(400);
  });

  it('select only groups that the key may see', async () => {
    const panel = await signIn(world);
    const key = world.api.as(await panel.createKey({ devices: ['one'], scope: 'control' }));
    await run({ suite: 'mine' });
    const { body } = await run({ suite: 'mine' }, key);
    const listed = await key.get('/v1/groups?label=suite:mine');
    expect(listed.body.groups.map(({ id }: { id: string }) => id)).to.deep.equal([body.group.id]);
  });

  it('are refused where a key or value is not allowed', async () => {
    for (const labels of REFUSED) expect((await run(labels)).status, JSON.stringify(labels)).to.equal(400);
  });
});
