import { expect } from 'chai';
import { signIn } from '../access/people.js';
import { startWorld, type World } from '../world.js';

describe('labels of devices over REST', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    for (const name of ['one', 'two']) await world.api.createPhone({ name, start: false });
  });
  after(() => world.close());

  const change = (labels: unknown, name = 'one') => world.api.ask('PATCH', `/v1/devices/${name}`, { labels });
  const labelsOf = async (name = 'one'): Promise<unknown> =>
    (await world.api.get(`/v1/devices/${name}`)).body.device.labels;
  const named = async (label: string): Promise<unknown> =>
    (await world.api.get(`/v1/devices?label=${encodeURIComponent(label)}`)).body.devices.map(
      ({ name }: { name: string }) => name,
    );

  it('are none at first, are set and removed one by one, and others stay', async () => {
    expect(await labelsOf()).to.deep.equal({});
    const set = await change({ team: 'qa', ring: 'a:b ü' });
    expect([set.status, set.body.device.labels]).to.deep.equal([200, { ring: 'a:b ü', team: 'qa' }]);
    await change({ team: 'dev', 'build.id': '7' });
    expect(await labelsOf()).to.deep.equal({ 'build.id': '7', ring: 'a:b ü', team: 'dev' });
    await change({ ring: '', none: '' });
    expect(await labelsOf()).to.deep.equal({ 'build.id': '7', team: 'dev' });
    for (const nothing of [{}, { none: '' }]) await change(nothing);
    expect(await labelsOf()).to.deep.equal({ 'build.id': '7', team: 'dev' });
    await change({ 'build.id': '', team: '' });
    expect(await labelsOf()).to.deep.equal({});
  });

  it('are given at the creation of a device, and select it at once', async () => {
    const three = { model: 'phone-720p', network: { type: 'direct', country: 'us' }, plan: 'minute', start: false };
    const make = (labels: unknown) => world.api.post('/v1/devices', { ...three, name: 'three', labels });
    const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`m${at}`, 'x']));
    for (const labels of [{ Team: 'x' }, { a: '' }, { a: 'x'.repeat(64) }, { ...sixteen, more: 'x' }]) {
      const refused = await make(labels);
      expect([refused.status, refused.body.message.split(/[:[]/)[0]]).to.deep.equal([400, 'labels']);
    }
    expect((await world.api.get('/v1/devices/three')).status).to.equal(404);
    const made = await make({ ...sixteen, m3: 'ü:y' });
    expect([made.status, made.body.device.labels]).to.deep.equal([202, { ...sixteen, m3: 'ü:y' }]);
    expect(await named('m3:ü:y')).to.deep.equal(['three']);
    await world.api.done(made);
    expect(await labelsOf('three')).to.deep.equal({ ...sixteen, m3: 'ü:y' });
  });

  it('select devices of a list', async () => {
    await change({ team: 'qa', os: 'team:qa' });
    await change({ team: 'dev' }, 'two');
    expect(await named('team:qa')).to.deep.equal(['one']);
    expect(await named('team:dev')).to.deep.equal(['two']);
    for (const label of ['team:q', 'qa:team', 'os:team']) expect(await named(label), label).to.deep.equal([]);
    expect((await world.api.get('/v1/devices?label=team')).body.message).to.contain('key:value');
  });

  it('of several callers at the same time are all kept', async () => {
    const keys = Array.from({ length: 10 }, (_, number) => `k${number}`);
    const responses = await Promise.all(keys.map((key) => change({ [key]: 'x' }, 'two')));
    expect(responses.map(({ status }) => status)).to.deep.equal(keys.map(() => 200));
    expect(await labelsOf('two')).to.include.keys(keys);
  });

  it('are at most 16, with keys and values that are allowed', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));
    expect((await change(many(17))).body.message).to.contain('"one" would have 19 labels; at most 16 are possible');
    expect((await change(many(33))).status).to.equal(400);
    expect((await change({ Team: 'x' })).body.message).to.match(/^labels\[Team\]: must have a key of 1 to 63 of a-z/);
    for (const labels of [
      { Team: 'x' },
      { '': 'x' },
      { 'a:b': 'x' },
      { a: 'x'.repeat(64) },
      { a: 'x\ny' },
      { a: 1 },
      { a: null },
      [],
      'x',
    ])
      expect((await change(labels)).status, JSON.stringify(labels)).to.equal(400);
    expect((await change(JSON.parse('{"__proto__": "x"}'))).status).to.equal(400);
    expect(await labelsOf()).to.deep.equal({ os: 'team:qa', team: 'qa' });
  });

  it('change nothing else: a device keeps its name', async () => {
    const renamed = await world.api.ask('PATCH', '/v1/devices/one', { name: 'other' });
    expect([renamed.status, renamed.body.message]).to.deep.equal([
      400,
      'Unknown field "name" in the body: the path or a header has it, and it cannot be changed; allowed here: labels, timeline, idle_stop_s.',
    ]);
    expect((await change({}, 'none')).status).to.equal(404);
  });
});

describe('jobs of phones that a key sees by a label', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  it('are not those of an earlier phone of the same name', async () => {
    const panel = await signIn(world);
    const key = world.api.as(await panel.createKey({ devices: { label: 'team=qa' }, scope: 'read' }));
    await world.api.createPhone({ name: 'one', start: false });
    await world.api.done(await world.api.ask('DELETE', '/v1/devices/one'));
    await world.api.createPhone({ name: 'one', start: false });
    await world.api.ask('PATCH', '/v1/devices/one', { labels: { team: 'qa' } });
    const { jobs } = (await world.api.get('/v1/jobs?device=one')).body as { jobs: { id: string; kind: string }[] };
    expect(jobs.map(({ kind }) => kind)).to.deep.equal(['create', 'delete', 'create']);
    for (const query of ['', '?device=one'])
      expect((await key.get(`/v1/jobs${query}`)).body.jobs.map(({ id }: { id: string }) => id)).to.deep.equal([
        jobs[0]!.id,
      ]);
  });
});
