import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import type { Answer } from '../rest-client.js';
import { startWorld, type World } from '../world.js';

const run = promisify(execFile);

interface Recording {
  id: string;
  device: string;
  state: string;
  started_at: string;
  ended_at: string;
  duration_ms: number;
  size: number;
  segments: number;
  reason?: string;
}

describe('recordings over REST', () => {
  let world: World;
  before(async function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    world = await startWorld({ scrcpyFile: Buffer.from('a server') });
    await world.api.createPhone({ name: 'filmed' });
    await world.api.createPhone({ name: 'off', start: false });
  });
  after(async () => {
    if (hasFfmpeg) await world.close();
  });

  const path = (device = 'filmed'): string => `/v1/devices/${device}/recordings`;
  const get = async (id: string, device = 'filmed'): Promise<Recording> =>
    (await world.api.get(`${path(device)}/${id}`)).body.recording;
  const act = (step: unknown, device = 'filmed'): Promise<Answer> =>
    world.api.post(`/v1/devices/${device}/act`, { ...(step as object), observe: 'none' });

  async function start(body: unknown = {}, device = 'filmed'): Promise<Recording> {
    const { status, body: response } = await world.api.post(path(device), body);
    expect([status, response.recording?.state], JSON.stringify(response)).to.deep.equal([201, 'recording']);
    return response.recording;
  }

  async function stop({ id, device }: Recording): Promise<Recording> {
    const { status, body } = await world.api.post(`${path(device)}/${id}/stop`, {});
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.recording;
  }

  /** Waits until a recording has ended. */
  async function ended({ id, device }: Recording): Promise<Recording> {
    let found = await get(id, device);
    await until(async () => (found = await get(id, device)).state !== 'recording');
    return found;
  }

  const content = ({ id, device }: Recording, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
    world.api.get(`${path(device)}/${id}/content${query}`, { headers });

  /** Returns what ffprobe and a decoder find in a file. */
  async function play(file: Buffer): Promise<{ durationMs: number; pictures: number; size: string }> {
    const name = join(await mkdtemp(join(tmpdir(), 'recording-')), 'a.mp4');
    await writeFile(name, file);
    const words = '-v error -count_frames -show_entries stream=width,height,nb_read_frames:format=duration -of json';
    const { stdout, stderr } = await run('ffprobe', [...words.split(' '), name]);
    expect(stderr).to.equal('');
    const { streams, format } = JSON.parse(stdout) as {
      streams: { width: number; height: number; nb_read_frames: string }[];
      format: { duration: string };
    };
    const [{ width, height, nb_read_frames } = { width: 0, height: 0, nb_read_frames: '' }] = streams;
    const durationMs = Math.round(1_000 * Number(format.duration));
    return { durationMs, pictures: Number(nb_read_frames), size: `${width}x${height}` };
  }

  it('go on until they are stopped, one of each phone, and can be played meanwhile and afterwards', async () => {
    const begun = await start();
    expect(begun).to.include({ device: 'filmed', segments: 1, has_secrets: false });
    expect(begun).not.to.have.any.keys('ended_at', 'reason');
    const second = await world.api.post(path(), {});
    expect([second.status, second.body.error]).to.deep.equal([409, 'busy']);
    expect(second.body.message).to.include(`/recordings/${begun.id}/stop`);
    await act({ open_app: { app: 'Settings' } });
    await until(async () => (await get(begun.id)).duration_ms >= 1_000);
    const meanwhile = await play((await content(begun)).bytes);
    expect(meanwhile.pictures).to.be.greaterThan(0);
    const done = await stop(begun);
    expect(done).to.include({ id: begun.id, state: 'ready', segments: 1, has_secrets: false });
    const { headers, bytes } = await content(begun);
    expect(headers.get('content-type')).to.equal('video/mp4');
    expect(headers.get('content-disposition')).to.equal(`attachment; filename="filmed-${begun.id}.mp4"`);
    expect(bytes.length).to.equal(done.size);
    const played = await play(bytes);
    expect(played.size).to.equal('720x1280');
    expect(played.pictures).to.be.greaterThan(1);
    expect(played.durationMs).to.equal(done.duration_ms);
    expect(Date.parse(done.ended_at)).to.be.above(Date.parse(done.started_at));
    expect((await stop(begun)).state).to.equal('ready');
    const { body } = await world.api.get(path());
    expect(body.recordings.map(({ id }: Recording) => id)).to.deep.equal([begun.id]);
  });

  it('are read by parts, as players do', async () => {
    const [recording] = (await world.api.get(path())).body.recordings;
    const whole = await content(recording);
    const etag = whole.headers.get('etag') ?? '';
    expect(whole.headers.get('accept-ranges')).to.equal('bytes');
    const part = await content(recording, '', { range: 'bytes=4-11' });
    expect([part.status, part.bytes.toString('latin1')]).to.deep.equal([206, whole.bytes.toString('latin1', 4, 12)]);
    expect(part.headers.get('content-range')).to.equal(`bytes 4-11/${whole.bytes.length}`);
    expect(part.headers.get('content-length')).to.equal('8');
    const last = await content(recording, '?segment=0', { range: 'bytes=-5', 'if-range': etag });
    expect([last.status, last.bytes.equals(whole.bytes.subarray(-5))]).to.deep.equal([206, true]);
    expect((await content(recording, '', { range: 'bytes=0-1', 'if-range': '"other"' })).status).to.equal(200);
    const beyond = await content(recording, '', { range: `bytes=${whole.bytes.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).to.deep.equal([416, `bytes */${whole.bytes.length}`]);
    expect((await content(recording, '?segment=1')).status).to.equal(404);
  });

  it('have the true time of a screen that is still', async () => {
    const recording = await start({ fps: 10 });
    await until(async () => (await get(recording.id)).duration_ms >= 2_000);
    const done = await stop(recording);
    const played = await play((await content(recording)).bytes);
    expect(played.durationMs).to.equal(done.duration_ms).and.to.be.at.least(2_000);
    expect(played.pictures, 'pictures of a still screen').to.be.below(10);
  });

  it('have a file for each size of the screen, and show that a secret was typed', async () => {
    await act({ rotate: { to: 'portrait' } });
    const recording = await start();
    expect((await act({ rotate: { to: 'landscape' } })).status).to.equal(200);
    await until(async () => (await get(recording.id)).segments === 2);
    await act({ rotate: { to: 'portrait' } });
    await until(async () => (await get(recording.id)).segments === 3);
    await act({ type: { text: 'S3cr3t-words', secret: true } });
    const done = await stop(recording);
    expect(done).to.include({ state: 'ready', segments: 3, has_secrets: true });
    const files = await Promise.all(
      [0, 1, 2].map(async (segment) => (await content(done, `?segment=${segment}`)).bytes),
    );
    expect(files.reduce((sum, { length }) => sum + length, 0)).to.equal(done.size);
    const played = await Promise.all(files.map(play));
    expect(played.map(({ size }) => size)).to.deep.equal(['720x1280', '1280x720', '720x1280']);
    expect(played.reduce((sum, { durationMs }) => sum + durationMs, 0)).to.be.within(
      done.duration_ms - 3,
      done.duration_ms + 3,
    );
  });

  it('end when their time is over, with an event and an entry of the timeline', async () => {
    await world.api.ask('PATCH', '/v1/devices/filmed', { timeline: true });
    const recording = await ended(await start({ max_s: 1 }));
    expect(recording).to.include({ state: 'ready', reason: 'Its time of 1 s was over.' });
    const events = world.database.collection('events');
    await until(async () => (await events.findOne({ eventId: recording.id })) !== null);
    const payload = (await events.findOne({ eventId: recording.id }))?.['payload'];
    const { event, phone, recording: sent } = JSON.parse(Buffer.from(payload.buffer ?? payload).toString());
    expect([event, phone, sent]).to.deep.equal(['recording.finished', 'filmed', recording]);
    const entries = async () => (await world.api.get('/v1/devices/filmed/timeline?kind=recording')).body.entries;
    await until(async () => (await entries()).length === 1);
    expect((await entries())[0]).to.deep.include({ outcome: 'done', request: { recording: recording.id } });
  });

  it('end with their phone, and are gone with their device', async () => {
    await world.api.createPhone({ name: 'passing' });
    const first = await start({}, 'passing');
    await world.api.done(await world.api.post('/v1/devices/passing/restart', {}));
    expect(await ended(first)).to.include({ state: 'ready' });
    expect((await get(first.id, 'passing')).reason).to.match(/^The phone (is|was) \w+\.$/);
    const second = await start({}, 'passing');
    await world.api.done(await world.api.delete('/v1/devices/passing'));
    const left = world.database.collection('recordings');
    await until(async () => (await left.countDocuments({ device: 'passing' })) === 0);
    expect((await world.api.get(`${path('passing')}/${second.id}`)).status).to.equal(404);
  });

  it('are deleted, also while they go on', async () => {
    const recording = await start();
    expect((await world.api.delete(`${path()}/${recording.id}`)).status).to.equal(204);
    expect((await world.api.get(`${path()}/${recording.id}`)).status).to.equal(404);
    expect((await content(recording)).status).to.equal(404);
    expect((await world.api.delete(`${path()}/${recording.id}`)).status).to.equal(404);
    expect((await stop(await start())).state).to.equal('ready');
  });

  it('need a phone that runs, and values that are allowed', async () => {
    const off = await world.api.post(path('off'), {});
    expect([off.status, off.body.error]).to.deep.equal([409, 'busy']);
    expect(off.body.message).to.include('/v1/devices/off/start');
    for (const body of [{ max_s: 0 }, { max_s: 7_201 }, { max_size: 1 }, { fps: 0 }, { length: 1 }])
      expect((await world.api.post(path(), body)).status, JSON.stringify(body)).to.equal(400);
    expect((await world.api.get(path('none'))).status).to.equal(404);
    expect((await world.api.get(`${path()}/rec_none`)).status).to.equal(404);
  });
});
