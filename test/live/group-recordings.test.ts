import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { startWorld, type World } from '../world.js';

interface Recording {
  id: string;
  state: string;
  duration_ms: number;
  size: number;
  reason?: string;
}

describe('recordings of groups over REST', () => {
  let world: World;
  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    world = await startWorld({ scrcpyFile: Buffer.from('a server') });
    for (const name of ['one', 'two']) await world.api.createPhone({ name, start: false });
  });
  after(async () => {
    if (hasFfmpeg) await world.close();
  });

  const recordings = async (name: string): Promise<Recording[]> =>
    (await world.api.get(`/v1/devices/${name}/recordings`)).body.recordings;

  async function run(devices: string[], steps: object[]) {
    const { body, status } = await world.api.post('/v1/groups', { devices, steps });
    expect(status, JSON.stringify(body)).to.equal(202);
    const { job } = (await world.api.get(`/v1/jobs/${body.job.id as string}?wait_s=60`)).body;
    const { group } = (await world.api.get(`/v1/groups/${body.group.id as string}`)).body;
    return { job, group };
  }

  it('begin and end with their steps, one for each phone, and are whole before the next step', async () => {
    const { job } = await run(
      ['one', 'two'],
      [
        { start: {} },
        { record: { max_s: 60, max_size: 400, fps: 10 } },
        { open_app: { app: 'Settings' } },
        { stop_recording: {} },
        { stop_recording: {} },
        { stop: {} },
      ],
    );
    expect(job, JSON.stringify(job)).to.include({ state: 'done' });
    for (const name of ['one', 'two']) {
      const [made, ...others] = await recordings(name);
      expect(others).to.deep.equal([]);
      // Stopped by the step: it has no reason, which the end of the phone would have given.
      expect(made).to.include({ state: 'ready' }).and.not.have.property('reason');
      expect(made!.size).to.be.greaterThan(0);
      const { bytes, status } = await world.api.get(`/v1/devices/${name}/recordings/${made!.id}/content`);
      expect([status, bytes.length]).to.deep.equal([200, made!.size]);
    }
  });

  it('end with the group, whether its last step is done or failed', async () => {
    for (const [steps, state] of [
      [[{ start: {} }, { record: {} }], 'done'],
      [[{ start: {} }, { record: {} }, { action: { find_text: { text: 'Not on this screen' } } }], 'failed'],
    ] as const) {
      const { job } = await run(['one'], [...steps]);
      expect(job.state, JSON.stringify(job)).to.equal(state);
      await until(async () => (await recordings('one'))[0]!.state !== 'recording');
      expect((await recordings('one'))[0])
        .to.include({ state: 'ready' })
        .and.not.have.property('reason');
    }
    expect(await recordings('one')).to.have.length(3);
  });

  it('fail beside a recording that somebody else began, and leave that one alone', async () => {
    const { body } = await world.api.post('/v1/devices/one/recordings', {});
    const path = `/v1/devices/one/recordings/${body.recording.id as string}`;
    const { job, group } = await run(['one'], [{ stop_recording: {} }, { record: {} }]);
    expect(job.state).to.equal('failed');
    expect(group.devices[0]).to.include({ state: 'failed', step: 1 });
    expect(group.devices[0].error).to.include({ error: 'busy' });
    expect(group.devices[0].error.message).to.contain(`POST ${path}/stop`);
    expect((await world.api.get(path)).body.recording.state).to.equal('recording');
    expect((await world.api.post(`${path}/stop`, {})).status).to.equal(200);
  });

  it('need a phone that runs, and values that are allowed', async () => {
    const { group } = await run(['one'], [{ stop: {} }, { record: {} }]);
    expect(group.devices[0]).to.include({ state: 'failed', step: 1 });
    expect(group.devices[0].error).to.include({ error: 'busy' });
    for (const record of [{ max_s: 0 }, { max_s: 7_201 }, { max_size: 15 }, { fps: 61 }, { name: 'two' }]) {
      const { status, body } = await world.api.post('/v1/groups', { devices: ['one'], steps: [{ record }] });
      expect([status, body.error], JSON.stringify(record)).to.deep.equal([400, 'bad_request']);
    }
  });
});
