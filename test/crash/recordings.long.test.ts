import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const START = new URL('../../start.js', import.meta.url).pathname;
const run = promisify(execFile);

describe('a recording while the service is killed', function () {
  let directory: string;
  let service: Installation | undefined;
  before(function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    directory = mkdtempSync(join(tmpdir(), 'cloudphone-recordings-'));
  });
  after(async () => {
    if (!hasFfmpeg) return;
    await service?.kill();
    await removeData(directory);
  });

  it('can be played, is listed as interrupted after the next start, and leaves room for another', async () => {
    service = await startInstallation({ directory, start: START });
    let api = new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
    await api.createPhone({ name: 'phone' });
    const path = '/v1/devices/phone/recordings';
    const { body } = await api.post(path, {});
    const { id } = body.recording as { id: string };
    const get = async () =>
      (await api.get(`${path}/${id}`)).body.recording as { state: string; size: number; duration_ms: number };
    await until(async () => (await get()).duration_ms >= 2_000);
    await service.kill();
    service = await startInstallation({ directory, start: START });
    api = new RestClient(service.baseUrl.replace(/\/v1$/, ''), service.key);
    await until(async () => (await get()).state !== 'recording');
    const left = await get();
    expect(left).to.include({ state: 'interrupted', segments: 1, reason: 'The service ended while it recorded.' });
    const { status, bytes } = await api.get(`${path}/${id}/content`);
    expect([status, bytes.length]).to.deep.equal([200, left.size]);
    const file = join(directory, 'played.mp4');
    writeFileSync(file, bytes);
    const words = ['-v', 'error', '-count_frames', '-show_entries', 'format=duration', '-of', 'csv=p=0', file];
    const { stdout, stderr } = await run('ffprobe', words);
    expect(stderr).to.equal('');
    // A piece is on the disk before its length is noted, so the file may be one piece longer.
    expect(1_000 * Number(stdout)).to.be.within(left.duration_ms - 1, left.duration_ms + 10_000);
    await until(async () => (await api.get('/v1/devices/phone')).body.device.state === 'running');
    const again = await api.post(path, {});
    expect(again.status).to.equal(201);
    expect((await api.post(`${path}/${again.body.recording.id as string}/stop`, {})).body.recording.state).to.equal(
      'ready',
    );
  });
});
