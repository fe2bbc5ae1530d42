import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiError } from '../../kit/errors/api-error.js';
import type { RecordScreenResponse } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { ImageFormat } from '../../proto/gen/cloudphone/screen/v1/observation_pb.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { bootPhone, type RealPhone } from '../testing/real-phone.js';
import { AS_KEY, type ScreenWorld, screenWorld } from '../testing/screen-world.js';
import { watchStream } from '../testing/watched-stream.js';

const SCREEN = { width: 720, height: 1280, density: 320 };

describe('the recording of a screen', () => {
  let phone: RealPhone;
  let world: ScreenWorld;
  const ends: (() => void)[] = [];
  before(function () {
    if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
  });
  beforeEach(async () => {
    phone = await bootPhone();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    await world.close();
    await phone.close();
  });

  const open = (options: { hasVideo: boolean; ffmpeg?: string }): void => {
    const { hasVideo, ffmpeg } = options;
    world = screenWorld({
      ...phone,
      ...(hasVideo && { scrcpyFile: Buffer.from('a server') }),
      ...(ffmpeg !== undefined && { ffmpeg }),
    });
  };

  /** Begins a recording. `files` are its files so far. */
  function record(fps = 30) {
    let stop: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stop = resolve));
    ends.push(stop);
    const requests = async function* () {
      yield { phone: { name: 'phone', host: '127.0.0.1', ...SCREEN, ...world.phone }, fps };
      await stopped;
    };
    const files: Buffer[] = [];
    const responses: RecordScreenResponse[] = [];
    const over = (async () => {
      for await (const response of world.recorder.recordScreen(requests())) {
        responses.push(response);
        for (const { segment, offset, data } of response.pieces) {
          const before = files[segment] ?? Buffer.alloc(0);
          const after = Buffer.alloc(Math.max(before.length, offset + data.length));
          before.copy(after);
          after.set(data, offset);
          files[segment] = after;
        }
      }
    })();
    over.catch(() => undefined);
    return { files, responses, over, stop };
  }

  async function durationOf(file: Buffer | undefined): Promise<number> {
    const path = join(await mkdtemp(join(tmpdir(), 'recorder-')), 'a.mp4');
    await writeFile(path, file ?? '');
    const words = ['-v', 'error', '-count_frames', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
    const { stdout, stderr } = spawnSync('ffprobe', words);
    expect(stderr.toString()).to.equal('');
    return Math.round(1_000 * Number(stdout.toString()));
  }

  const failure = (over: Promise<void>): Promise<string> =>
    over.then(
      () => 'no failure',
      (error: unknown) => (error instanceof ApiError ? `${error.kind}: ${error.message}` : String(error)),
    );
  const servers = async (): Promise<number> => (await phone.shell('ps -A')).split('app_process').length - 1;

  it('is one more viewer of the video, ends with its last picture, and can be played', async () => {
    open({ hasVideo: true });
    const viewer = watchStream(world, { name: 'phone', format: ImageFormat.H264 });
    ends.push(viewer.leave);
    await viewer.next('frame');
    const { files, responses, over, stop } = record();
    await until(() => responses.length >= 3);
    expect(await servers()).to.equal(1);
    stop();
    await over;
    const { durationMs, hasSecrets } = responses.at(-1) as RecordScreenResponse;
    expect(hasSecrets).to.equal(false);
    expect(durationMs).to.be.at.least(2_000);
    expect(await durationOf(files[0])).to.equal(durationMs);
  });

  it('has the pictures of a phone without video, in the same form', async () => {
    open({ hasVideo: false });
    const { files, responses, over, stop } = record();
    await until(() => responses.length >= 2);
    await world.client.act({ name: 'phone', step: { case: 'type', value: { text: 'abc', secret: true } } }, AS_KEY);
    await until(() => responses.at(-1)?.hasSecrets === true);
    stop();
    await over;
    expect(await servers()).to.equal(0);
    expect(await durationOf(files[0])).to.equal(responses.at(-1)?.durationMs);
  });

  it('has the pictures of a phone whose video does not begin', async () => {
    await phone.close();
    phone = await bootPhone({ ffmpeg: '/nonexistent' });
    open({ hasVideo: true });
    const { responses, over, stop } = record();
    await until(() => responses.length >= 1);
    stop();
    await over;
  });

  it('is busy where the phone has no video and the machine no program to make it', async () => {
    open({ hasVideo: false, ffmpeg: '/nonexistent/ffmpeg' });
    expect(await failure(record().over)).to.match(/^busy: The phone has no video, .*Install ffmpeg/);
  });

  it('breaks off when the phone was started anew', async () => {
    open({ hasVideo: true });
    const { responses, over } = record();
    await until(() => responses.length >= 1);
    world.phone.generation = 2;
    await world.client.getScreenshot({ name: 'phone' }, AS_KEY);
    expect(await failure(over)).to.match(/^unavailable: The (phone was started anew|video of the phone ended)/);
  });
});
