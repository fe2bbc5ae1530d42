import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type PanelClient, signIn } from '../access/people.js';
import { until } from '../../testing/until.js';
import { RestClient } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

describe('groups over REST', () => {
  let world: World;
  let folder: string;
  let panel: PanelClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groups-'));
    const catalogue = fileURLToPath(new URL('../../../device-service/devices/apps/demo/catalogue', import.meta.url));
    world = await startWorld({ apps: { catalogue, folder } });
    panel = await signIn(world);
    await Promise.all(['one', 'two', 'three'].map((name) => world.api.createPhone({ name, start: false })));
  });

  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(body: object, api: RestClient = world.api) {
    const accepted = await api.post('/v1/groups', body);
    expect(accepted.status, accepted.bytes.toString()).to.equal(202);
    expect(accepted.body.job).to.include({ kind: 'group', state: 'running', device: '', progress: 0 });
    expect(accepted.body.group).to.include({ state: 'running', job_id: accepted.body.job.id });
    const { body: ended } = await api.get(`/v1/jobs/${accepted.body.job.id}?wait_s=30`);
    const { body: read } = await api.get(`/v1/groups/${accepted.body.group.id}`);
    return { job: ended.job, group: read.group };
  }

  it('start phones, install and open an app, act in it and stop the phones', async function () {
    const catalogue = await world.api.get('/v1/apps');
    const { job, group } = await run({
      devices: ['one', 'two', 'three'],
      steps: [
        { start: {} },
        { install: { app: catalogue.body.apps[0].app } },
        { open_app: { app: catalogue.body.apps[0].package } },
        { open_app: { app: 'Settings' } },
        { action: { find_text: { text: 'Display' } } },
        { act: { tap: { x: 300, y: 400 } } },
        { wait: { ms: 1 } },
      ],
      concurrency: 2,
    });
    expect(job, JSON.stringify(group)).to.include({ state: 'done', progress: 100 });
    expect(
      group.devices.map(({ device, state, step }: Record<string, unknown>) => [device, state, step]),
    ).to.deep.equal([
      ['one', 'done', 7],
      ['two', 'done', 7],
      ['three', 'done', 7],
    ]);
    const { body } = await world.api.get('/v1/jobs?limit=200');
    expect(body.jobs.filter(({ kind }: { kind: string }) => kind === 'group')).to.have.length(1);
    expect((await run({ devices: ['one', 'two', 'three'], steps: [{ stop: {} }, { stop: {} }] })).job.state).to.equal(
      'done',
    );
  });

  it('are listed newest first, to their makers and to callers of all devices', async () => {
    const reader = new RestClient(world.mesh.url, await panel.createKey({ scope: 'control', devices: ['one'] }));
    const begin = async (api: RestClient, devices: string[], name?: string) =>
      (await api.post('/v1/groups', { devices, steps: [{ wait: { ms: 1 } }], ...(name && { name }) })).body.group;
    const first = await begin(world.api, ['one', 'two'], 'Nightly install');
    const second = await begin(reader, ['one']);
    expect([first.name, 'name' in second]).to.deep.equal(['Nightly install', false]);
    await until(async () => (await world.api.get(`/v1/groups/${second.id}`)).body.group.state === 'done');
    await until(async () => (await world.api.get(`/v1/groups/${first.id}`)).body.group.state === 'done');
    const { body } = await world.api.get('/v1/groups?limit=2');
    expect(body.groups).to.deep.equal([
      { id: second.id, state: 'done', created_at: second.created_at, devices: 1, labels: {} },
      { id: first.id, name: 'Nightly install', state: 'done', created_at: first.created_at, devices: 2, labels: {} },
    ]);
    const older = (await world.api.get(`/v1/groups?cursor=${body.next_cursor}`)).body.groups;
    expect(older.every(({ id }: { id: string }) => id < first.id)).to.equal(true);
    expect((await reader.get('/v1/groups')).body).to.deep.equal({ groups: [body.groups[0]] });
    for (const name of ['', 'x'.repeat(101)]) {
      const refused = await world.api.post('/v1/groups', { name, devices: ['one'], steps: [{ start: {} }] });
      expect(refused.status).to.equal(400);
      expect(refused.body.message).to.contain('name');
    }
  });

  it('are cancelled: pauses end, no further step begins, and the job fails', async () => {
    const pauses = {
      devices: ['one', 'two', 'three'],
      steps: [{ wait: { ms: 1 } }, { wait: { ms: 3_600_000 } }, { start: {} }],
    };
    const { body: begun } = await world.api.post('/v1/groups', { ...pauses, concurrency: 2 });
    const path = `/v1/groups/${begun.group.id as string}`;
    await until(async () => {
      const { group } = (await world.api.get(path)).body;
      return group.devices.filter(({ step }: { step: number }) => step === 1).length === 2;
    });
    const reader = new RestClient(world.mesh.url, await panel.createKey({ scope: 'read' }));
    expect((await reader.post(`${path}/cancel`)).status).to.equal(403);
    expect((await world.api.post('/v1/groups/grp_1m7x2vye5t4vyenbj210hep75/cancel')).status).to.equal(404);
    const accepted = await world.api.post(`${path}/cancel`);
    expect(accepted.status).to.equal(202);
    expect(accepted.body.job).to.include({ id: begun.job.id, kind: 'group' });
    const { job } = (await world.api.get(`/v1/jobs/${begun.job.id as string}?wait_s=30`)).body;
    expect(job).to.include({ state: 'failed', progress: 100 });
    expect(job.error).to.include({ error: 'busy' });
    expect(job.error.message).to.contain('The group was cancelled when 0 of 3 devices had done all steps');
    const { group } = (await world.api.get(path)).body;
    expect(group.state).to.equal('failed');
    expect(group.devices.map(({ state, step }: Record<string, unknown>) => [state, step])).to.deep.equal([
      ['skipped', 1],
      ['skipped', 1],
      ['skipped', 0],
    ]);
    expect((await world.api.post(`${path}/cancel`)).status).to.equal(409);
  });

  it('report the step that failed on each device, and go on with the others when on_error is continue', async () => {
    const { job, group } = await run({
      devices: ['one', 'two', 'three'],
      steps: [{ stop: {} }, { start: {} }, { action: { tap: { text: 'There is no such text' } } }],
      on_error: 'continue',
    });
    expect(job).to.include({ state: 'failed' });
    expect(job.error.message).to.match(/^3 of 3 devices failed; GET \/v1\/groups\/grp_\w+ shows each\. "one": /);
    for (const device of group.devices) {
      expect(device).to.deep.include({ state: 'failed', step: 2 });
      expect(device.error).to.include({ error: 'not_found' });
    }
  });

  it('stop at the first failure when on_error is absent', async () => {
    const { group } = await run({
      devices: ['one', 'two', 'three'],
      steps: [{ start: {} }, { action: { tap: { text: 'There is no such text' } } }],
      concurrency: 1,
    });
    expect(group.devices.map(({ state }: { state: string }) => state)).to.deep.equal(['failed', 'skipped', 'skipped']);
  });

  it('are refused as a whole when a device may not be seen, and for steps that are none', async () => {
    const listed = world.api.as(await panel.createKey({ devices: ['one'] }));
    const steps = [{ wait: { ms: 1 } }];
    const statusOf = async (body: object, api = world.api) => (await api.post('/v1/groups', body)).status;
    expect(await statusOf({ devices: ['one', 'two'], steps }, listed)).to.equal(403);
    expect(await statusOf({ devices: ['one', 'nothing'], steps }, listed)).to.equal(404);
    expect(await statusOf({ devices: ['one', 'one'], steps })).to.equal(400);
    expect(await statusOf({ devices: [], steps })).to.equal(400);
    expect(await statusOf({ devices: ['one'], steps: [] })).to.equal(400);
    expect(await statusOf({ devices: ['one'], steps: [{}] })).to.equal(400);
    expect(await statusOf({ devices: ['one'], steps: [{ act: { name: 'two', wait: {} } }] })).to.equal(400);
    expect(await statusOf({ devices: ['one'], steps: [{ start: {}, stop: {} }] })).to.equal(400);
    expect(await statusOf({ devices: ['one'], steps: [{ act: {} }] })).to.equal(400);
  });

  it('are seen by their key and by keys of all devices', async () => {
    const maker = world.api.as(await panel.createKey({ devices: ['one'] }));
    const other = world.api.as(await panel.createKey({ devices: ['one'] }));
    const { job, group } = await run({ devices: ['one'], steps: [{ wait: { ms: 1 } }] }, maker);
    for (const path of [`/v1/groups/${group.id}`, `/v1/jobs/${job.id}`]) {
      expect((await maker.get(path)).status).to.equal(200);
      expect((await world.api.get(path)).status).to.equal(200);
      expect((await other.get(path)).status).to.equal(404);
    }
    const jobsOf = async (api: RestClient) =>
      (await api.get('/v1/jobs?limit=200')).body.jobs.map(({ id }: { id: string }) => id);
    expect(await jobsOf(maker)).to.contain(job.id);
    expect(await jobsOf(other)).not.to.contain(job.id);
  });

  it('go on with the rights that the key has at each step', async () => {
    const text = await panel.createKey({ devices: ['one'], name: 'to revoke' });
    const accepted = await world.api.as(text).post('/v1/groups', {
      devices: ['one'],
      steps: [{ wait: { ms: 300 } }, { stop: {} }],
    });
    const keys = await panel.ask('GET', '/v1/keys');
    const { id } = keys.body.keys.find(({ name }: { name: string }) => name === 'to revoke');
    await panel.ask('DELETE', `/v1/keys/${id}`);
    const { body } = await world.api.get(`/v1/jobs/${accepted.body.job.id}?wait_s=30`);
    expect(body.job).to.include({ state: 'failed' });
    expect(body.job.error).to.include({ error: 'unauthorized' });
    expect((await world.api.get('/v1/devices/one')).body.device.state).to.equal('running');
  });

  it('keep the secret texts of a schedule from devices that another caller chooses', async () => {
    const type = { type: { target: { text: 'Password' }, text: 'hunter2', secret: true } };
    const week = { devices: ['one'], days: ['mon'], time: '07:30', timezone: 'UTC' };
    const { body, status } = await world.api.post('/v1/schedules', { ...week, steps: [{ act: type }] });
    expect(status, JSON.stringify(body)).to.equal(201);
    const path = `/v1/schedules/${body.schedule.id as string}`;
    const other = world.api.as(await panel.createKey({ devices: ['*'] }));
    const refused = await other.ask('PATCH', path, { devices: ['two'] });
    expect([refused.status, refused.body.message]).to.satisfy(
      ([code, text]: [number, string]) => code === 400 && text.startsWith('devices: the steps have secret texts'),
    );
    const shown = (await other.get(path)).body.schedule.steps;
    const back = await other.ask('PATCH', path, { devices: ['two'], steps: shown });
    expect([back.status, back.body.message]).to.satisfy(
      ([code, text]: [number, string]) => code === 400 && text.startsWith('steps[0]: "***"'),
    );
    expect((await world.api.ask('PATCH', path, { devices: ['two'] })).status).to.equal(200);
    expect((await other.ask('PATCH', path, { time: '08:00' })).status).to.equal(200);
  });

  it('are shown in a schedule without a name, so that they can be sent back as they are', async () => {
    const steps = [{ action: { tap: { text: 'Notes' } } }, { act: { tap: { x: 3, y: 4 } } }];
    const week = { devices: ['one'], days: ['mon'], time: '07:30', timezone: 'UTC' };
    const { body, status } = await world.api.post('/v1/schedules', { ...week, steps });
    expect(status).to.equal(201);
    const path = `/v1/schedules/${body.schedule.id as string}`;
    const shown = (await world.api.get(path)).body.schedule.steps;
    expect(shown).to.deep.equal([steps[0], { act: { tap: { x: 3, y: 4 }, steps: [] } }]);
    const changed = await world.api.ask('PATCH', path, { steps: shown });
    expect(changed.status).to.equal(200);
    expect(changed.body.schedule.steps).to.deep.equal(shown);
  });
});
