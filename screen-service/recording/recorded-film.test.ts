import { execFile } from 'node:child_process';
import { mkdtemp, readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { FfmpegEncoders } from '../../phone/video/ffmpeg-encoders.js';
import { hasFfmpeg } from '../../testing/has-ffmpeg.js';
import { NEEDS_FFMPEG, skip } from '../../testing/skip.js';
import { parseConfiguration } from '../live/video/parse-configuration.js';
import type { VideoUnit } from '../live/video/video-unit.js';
import { nalUnits, toSample } from './nal-units.js';
import { type FilePiece, RecordedFilm } from './recorded-film.js';

const run = promisify(execFile);

/** Encodes pictures of one colour each, as units that come at the given times, ms. */
async function encode(times: readonly number[], { width, height } = { width: 64, height: 96 }): Promise<VideoUnit[]> {
  const end = new AbortController();
  const form = { source: { width, height }, width, height, fps: 30, bitRate: 1_000_000 };
  const encoder = new FfmpegEncoders('ffmpeg', systemClock).open(form, end.signal);
  if (encoder === undefined) throw new Error('there is no encoder');
  const units: VideoUnit[] = [];
  let data: Buffer = Buffer.alloc(0);
  for (const [index, cameMs] of times.entries()) {
    const picture = await encoder.encode(Buffer.alloc(width * height * 4, 20 * (index + 1)));
    if (picture.configuration !== undefined) data = picture.configuration;
    units.push({ data: picture.data, isKey: picture.isKey, configuration: parseConfiguration(data), cameMs });
  }
  end.abort();
  return units;
}

/** Writes pieces as the device service does, and returns the bytes of each file. */
function written(pieces: readonly FilePiece[], before: Buffer[] = []): Buffer[] {
  const files = [...before];
  for (const { segment, offset, data } of pieces) {
    const file = files[segment] ?? Buffer.alloc(0);
    const whole = Buffer.alloc(Math.max(file.length, offset + data.length));
    file.copy(whole);
    data.copy(whole, offset);
    files[segment] = whole;
  }
  return files;
}

/** Returns what ffprobe finds in a file: the times of its pictures and its length, s. */
async function probe(file: Buffer) {
  const path = join(await mkdtemp(join(tmpdir(), 'film-')), 'a.mp4');
  await writeFile(path, file);
  return probeAt(path);
}

async function probeAt(path: string) {
  const words = '-v error -show_entries format=duration:packet=pts_time:stream=width,height,duration -of json';
  const { stdout, stderr } = await run('ffprobe', [...words.split(' '), path]);
  const { packets, format, streams } = JSON.parse(stdout) as {
    packets: { pts_time: string }[];
    format: { duration: string };
    streams: { width: number; height: number; duration: string }[];
  };
  return {
    times: packets.map((packet) => Number(packet.pts_time)),
    duration: Number(format.duration),
    size: streams[0],
    errors: stderr,
  };
}

describe('the files of a recording', () => {
  it('have each NAL unit with its length, without delimiters and parameter sets', () => {
    const unit = Buffer.from(
      '00000001 0910 000001 6742001f 00000001 68ce 000001 65aabb00 000001 06cc 0000'.replaceAll(' ', ''),
      'hex',
    );
    expect(nalUnits(unit).map((part) => part.toString('hex'))).to.deep.equal([
      '0910',
      '6742001f',
      '68ce',
      '65aabb',
      '06cc',
    ]);
    expect(toSample(unit).toString('hex')).to.equal('0000000365aabb0000000206cc');
  });

  describe('to a foreign reader', () => {
    before(function () {
      if (!hasFfmpeg) skip(this, NEEDS_FFMPEG);
    });

    it('have the true times of all pictures, also of a screen that is still', async () => {
      const units = await encode([1_000, 1_040, 1_500, 9_000]);
      const film = new RecordedFilm();
      let files: Buffer[] = [];
      for (let nowMs = 1_000; nowMs <= 12_000; nowMs += 250) {
        while (units[0] !== undefined && units[0].cameMs <= nowMs) film.add(units.shift() as VideoUnit, 0);
        if (nowMs % 1_000 === 0) files = written(film.flush(nowMs), files);
      }
      files = written(film.flush(12_345), files);
      const found = await probe(files[0] ?? Buffer.alloc(0));
      expect(found.times).to.deep.equal([0, 0.04, 0.5, 8]);
      expect(found.duration).to.equal(11.345);
      expect(Number(found.size?.duration), 'the length in the table of samples').to.equal(11.345);
      expect(film.durationMs(12_345)).to.equal(11_345);
      expect(found.errors).to.equal('');
    });

    it('can be played after each flush, and up to the last whole fragment where one is cut', async () => {
      const [first, second] = (await encode([0, 5_000])) as [VideoUnit, VideoUnit];
      const film = new RecordedFilm();
      film.add(first, 0);
      let files = written(film.flush(0));
      expect((await probe(files[0] as Buffer)).times).to.deep.equal([0]);
      files = written(film.flush(4_000), files);
      expect((await probe(files[0] as Buffer)).duration).to.equal(4);
      const wholeBytes = files[0]?.length ?? 0;
      film.add(second, 0);
      files = written(film.flush(6_000), files);
      const path = join(await mkdtemp(join(tmpdir(), 'film-')), 'a.mp4');
      await writeFile(path, files[0] as Buffer);
      expect((await probeAt(path)).times).to.deep.equal([0, 5]);
      await truncate(path, wholeBytes + 20);
      expect((await probeAt(path)).times).to.deep.equal([0]);
      expect((await readFile(path)).length).to.equal(wholeBytes + 20);
    });

    it('begin anew with another size, and go on with equal parameter sets', async () => {
      const upright = await encode([0, 500]);
      const turned = await encode([2_000, 2_500], { width: 96, height: 64 });
      const again = await encode([4_000], { width: 96, height: 64 });
      const film = new RecordedFilm();
      for (const unit of [...upright, ...turned, ...again]) film.add(unit, 0);
      const files = written(film.flush(5_000));
      expect(files).to.have.length(2);
      const found = await Promise.all(files.map((file) => probe(file)));
      expect(found.map(({ size, duration, times }) => [size?.width, duration, times])).to.deep.equal([
        [64, 2, [0, 0.5]],
        [96, 3, [0, 0.5, 2]],
      ]);
    });
  });

  it('begin with a key frame, at the time at which the recording begins', () => {
    const configuration = { codec: '', width: 2, height: 2, data: Buffer.from('000000016742001f0000000168aa', 'hex') };
    const unit = (isKey: boolean, cameMs: number): VideoUnit => ({
      ...{ isKey, configuration, cameMs },
      data: Buffer.from(isKey ? '0000000165aa' : '0000000141aa', 'hex'),
    });
    const film = new RecordedFilm();
    film.add(unit(false, 10), 0);
    expect(film.isEmpty).to.equal(true);
    film.add(unit(true, 50), 200);
    film.add(unit(false, 60), 200);
    expect([film.isEmpty, film.durationMs(300)]).to.deep.equal([false, 100]);
  });
});
