import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { bootPhone, type RealPhone } from '../../../screen-service/testing/real-phone.js';
import { hasFfmpeg } from '../../../testing/has-ffmpeg.js';
import { runScript } from '../../../testing/phone/run-script.js';
import { NEEDS_FFMPEG, skip } from '../../../testing/skip.js';

/** Returns the facts that ffprobe reads in a video. */
function probed(video: Buffer): { codec: string; width: number; height: number; seconds: number; pictures: number } {
  const words = '-v error -count_frames -show_entries stream=codec_name,width,height,nb_read_frames:format=duration -of json -'; // prettier-ignore
  const { stdout, stderr } = spawnSync('ffprobe', words.split(' '), { input: video, encoding: 'utf8' });
  expect(stderr).to.equal('');
  const found = JSON.parse(stdout) as {
    streams: [{ codec_name: string; width: number; height: number; nb_read_frames: string }];
    format: { duration?: string };
  };
  const { codec_name: codec, width, height, nb_read_frames: pictures } = found.streams[0];
  return { codec, width, height, seconds: Number(found.format.duration ?? NaN), pictures: Number(pictures) };
}

describe('screenrecord', () => {
  let phone: RealPhone;
  const run = (script: string): ReturnType<typeof runScript> =>
    runScript(phone.phone.machine, `cd /data/local/tmp; ${script}`);
  const file = async (): Promise<Buffer> => (await run('cat v')).bytes;
  afterEach(() => phone.close());

  describe('with an encoder', () => {
    before(function () {
      if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    });
    beforeEach(async () => (phone = await bootPhone()));

    it('writes an MP4 for as long as it may', async () => {
      const change = '(sleep 0.3; am start -n com.cloudphone.lab/.Counter) > /dev/null &';
      const { status, stderr } = await run(`${change} screenrecord --time-limit 4 --bit-rate 4M v`);
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      const video = probed(await file());
      expect(video).to.include({ codec: 'h264', width: 720, height: 1280 });
      expect(video.seconds).to.be.within(0.5, 10);
      expect(video.pictures).to.be.at.least(2);
    });

    it('writes H.264 in another size to standard output', async () => {
      const { bytes, status } = await run('screenrecord --time-limit 1 --size 360x640 --output-format=h264 -');
      expect(status).to.equal(0);
      expect(probed(bytes)).to.include({ codec: 'h264', width: 360, height: 640 });
    });

    it('finishes the file at SIGINT', async () => {
      const { stdout } = await run('screenrecord v & sleep 1.5; kill -INT $(pidof screenrecord); wait $!; echo $?');
      expect(stdout).to.equal('0\n');
      expect(probed(await file()).pictures).to.be.at.least(1);
      // The job itself is a shell here, which the signal ends too.
      expect((await run('screenrecord v & sleep 1.5; kill -INT $!; wait $!; echo $?')).stdout).to.equal('130\n');
      expect(probed(await file()).pictures).to.be.at.least(1);
    });

    it('goes on where the screen is turned', async () => {
      const turn = '(sleep 0.3; settings put system accelerometer_rotation 0; settings put system user_rotation 1) &';
      expect((await run(`${turn} screenrecord --time-limit 2 v`)).status).to.equal(0);
      expect(probed(await file())).to.include({ width: 720, height: 1280 });
    });
  });

  it('refuses what is out of range, and leaves the file as it was', async () => {
    phone = await bootPhone();
    for (const words of [
      '--size 0x0',
      '--size 9999x16',
      '--size 17x17',
      '--bit-rate 1',
      '--bit-rate 900M',
      '--time-limit 0',
      '--time-limit 181',
      '--output-format=gif',
    ]) {
      const { stdout, stderr, status } = await run(`echo kept > v; screenrecord ${words} v; echo $?; cat v`);
      expect({ stdout, status }, words).to.deep.equal({ stdout: '2\nkept\n', status: 0 });
      expect(stderr, words).to.match(/^\S.+\n$/);
    }
    expect((await run('screenrecord')).status).to.equal(2);
    expect((await run('screenrecord --output-format=mp4 -')).status).to.equal(2);
  });

  it('says that there is no encoder', async () => {
    phone = await bootPhone({ ffmpeg: 'no-such-program' });
    const { stderr, status } = await run('screenrecord v');
    expect({ stderr, status }).to.deep.equal({
      stderr: 'ERROR: unable to create video/avc codec instance\n',
      status: 1,
    });
  });
});
