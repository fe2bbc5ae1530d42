import { WakeSignal } from '../../../kit/async/wake-signal.js';
import { captureFrame } from '../../capture/capture-frame.js';
import { Cancellation } from '../../../kit/async/within.js';
import { FragmentedMp4 } from '../../video/fragmented-mp4.js';
import type { EncodedPicture, VideoEncoder, VideoForm } from '../../../phone/video/video-encoder.js';
import { CommandFailure, pathOf, type Command, type CommandCall } from '../command.js';
import { parseOptions } from '../options.js';
import { SIGNALS } from '../signals.js';

const MAX_SECONDS = 180;
const MIN_BIT_RATE = 100_000;
const MAX_BIT_RATE = 200_000_000;
const DEFAULT_BIT_RATE = 20_000_000;
const MIN_SIDE = 16;
const MAX_SIDE = 4_096;
const FPS = 30;
/** The sides of a default size are multiples of this, as encoders of phones require. A requested size only needs even sides. */
const SIDE_STEP = 8;

/** The recording that was requested. */
interface Recording {
  size: { width: number; height: number };
  bitRate: number;
  seconds: number;
  isMp4: boolean;
  write: (bytes: Buffer) => Promise<void>;
}

/** `screenrecord [--size WxH] [--bit-rate N] [--time-limit N] [--verbose] [--output-format=mp4|h264] FILE|-` */
export const screenrecord: Command = async (call) => {
  const { args, machine, stdout } = call;
  const options = parseOptions(args, {
    flags: ['verbose'],
    values: ['size', 'bit-rate', 'time-limit', 'output-format'],
  });
  const [name, ...others] = options.rest;
  if (name === undefined || others.length > 0) throw wrong('Must specify output file (see --help).');
  const format = options.value('output-format') ?? (name === '-' ? 'h264' : 'mp4');
  if (format !== 'mp4' && format !== 'h264') throw wrong(`Unknown format '${format}'`);
  if (format === 'mp4' && name === '-') throw wrong('MP4 needs a file; use --output-format=h264 for standard output');
  const recording = {
    size: sizeOf(options.value('size'), machine.screen),
    bitRate: bitRateOf(options.value('bit-rate')),
    seconds: secondsOf(options.value('time-limit')),
    isMp4: format === 'mp4',
  };
  // The options are checked first, so that a wrong call leaves the file as it was.
  const file = name === '-' ? undefined : await machine.shellFiles.openWrite(pathOf(call, name), { append: false });
  try {
    const pictures = await record(call, { ...recording, write: (bytes) => (file ?? stdout).write(bytes) });
    if (options.has('verbose')) await call.stderr.write(`Stopping encoder and muxer\n${pictures} frames\n`);
    return 0;
  } finally {
    await file?.close();
  }
};

/** Records until the time is over or a signal ends it. Returns how many pictures were written. */
async function record(call: CommandCall, recording: Recording): Promise<number> {
  const { clock, screen } = call.machine;
  const life = new Cancellation([call.signal]);
  const limit = clock.after(recording.seconds * 1_000, () => life.abort());
  call.catchSignals((signal) => {
    const isEnd = ['INT', 'HUP'].includes(SIGNALS.get(signal) ?? '');
    if (isEnd) life.abort();
    return isEnd;
  });
  const news = new WakeSignal();
  const unsubscribe = screen.onChange(() => news.wake());
  const output = new RecordedVideo(recording);
  const encoder = new ScreenEncoder(call, recording);
  try {
    let shown = -1;
    while (!life.signal.aborted) {
      if (screen.revision === shown) {
        await news.wait({ signal: life.signal });
        continue;
      }
      const drawnMs = clock.monotonicMs();
      shown = screen.revision;
      await output.add(await encoder.next(), drawnMs);
      const leftMs = 1_000 / FPS - (clock.monotonicMs() - drawnMs);
      if (leftMs > 0) await clock.sleep(leftMs, life.signal).catch(() => undefined);
    }
    await output.end(clock.monotonicMs());
    return output.pictures;
  } finally {
    limit.cancel();
    unsubscribe();
    life.end();
    encoder.close();
  }
}

/** Encodes the screen as video of one size. When the screen turns, another encoder continues with the same size of video. */
class ScreenEncoder {
  readonly #call: CommandCall;
  readonly #recording: Recording;
  #form: VideoForm | undefined;
  #encoder: VideoEncoder | undefined;

  constructor(call: CommandCall, recording: Recording) {
    this.#call = call;
    this.#recording = recording;
  }

  async next(): Promise<EncodedPicture> {
    const { machine, signal } = this.#call;
    return captureFrame(machine, signal, async ({ data, width, height }) => {
      const encoder = this.#encoderFor(width, height);
      try {
        return await encoder.encode(data);
      } catch (error) {
        machine.log.info({ err: error }, 'a picture of a recording was not encoded');
        throw noEncoder();
      }
    });
  }

  close(): void {
    this.#encoder?.close();
  }

  #encoderFor(width: number, height: number): VideoEncoder {
    if (this.#encoder && this.#form?.source.width === width && this.#form.source.height === height)
      return this.#encoder;
    this.#encoder?.close();
    const { size, bitRate } = this.#recording;
    this.#form = { source: { width, height }, ...size, fps: FPS, bitRate };
    this.#encoder = this.#call.machine.videoEncoders?.open(this.#form, this.#call.signal);
    if (!this.#encoder) throw noEncoder();
    return this.#encoder;
  }
}

/**
 * Writes the pictures to the output. In MP4, a picture is written when the next one comes or the recording ends, as its duration is known
 * then.
 */
class RecordedVideo {
  readonly #recording: Recording;
  readonly #mp4 = new FragmentedMp4();
  #waiting: { picture: EncodedPicture; drawnMs: number } | undefined;
  pictures = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  async add(picture: EncodedPicture, drawnMs: number): Promise<void> {
    const { isMp4, size, write } = this.#recording;
    const { configuration } = picture;
    if (!isMp4) await write(configuration ? Buffer.concat([configuration, picture.data]) : picture.data);
    else {
      if (configuration && this.pictures === 0) await write(this.#mp4.header(size, configuration));
      await this.end(drawnMs);
      this.#waiting = { picture, drawnMs };
    }
    this.pictures++;
  }

  async end(atMs: number): Promise<void> {
    if (!this.#waiting) return;
    const { picture, drawnMs } = this.#waiting;
    this.#waiting = undefined;
    const { data, isKey } = picture;
    await this.#recording.write(this.#mp4.fragment({ data, isKey, durationMs: atMs - drawnMs }));
  }
}

function sizeOf(
  word: string | undefined,
  screen: { width: number; height: number },
): { width: number; height: number } {
  if (word === undefined) {
    const step = (side: number): number => Math.max(MIN_SIDE, side - (side % SIDE_STEP));
    return { width: step(screen.width), height: step(screen.height) };
  }
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(word) ?? []).map(Number);
  const fits = [width, height].every((side) => side >= MIN_SIDE && side <= MAX_SIDE && side % 2 === 0);
  if (!fits) throw wrong(`Invalid size '${word}', must be width x height, even and from ${MIN_SIDE} to ${MAX_SIDE}`);
  return { width, height };
}

function bitRateOf(word: string | undefined): number {
  if (word === undefined) return DEFAULT_BIT_RATE;
  const [, digits = '', unit = ''] = /^(\d{1,9})([KM]?)$/i.exec(word) ?? [];
  const bitRate = Number(digits) * ({ K: 1_000, M: 1_000_000 }[unit.toUpperCase()] ?? 1);
  if (digits !== '' && bitRate >= MIN_BIT_RATE && bitRate <= MAX_BIT_RATE) return bitRate;
  throw wrong(`Bit rate ${word} outside acceptable range [${MIN_BIT_RATE},${MAX_BIT_RATE}]`);
}

function secondsOf(word: string | undefined): number {
  if (word === undefined) return MAX_SECONDS;
  const seconds = /^\d{1,9}$/.test(word) ? Number(word) : 0;
  if (seconds >= 1 && seconds <= MAX_SECONDS) return seconds;
  throw wrong(`Time limit ${word}s outside acceptable range [1,${MAX_SECONDS}]`);
}

function wrong(message: string): CommandFailure {
  return new CommandFailure(message, { bare: true, status: 2 });
}

/** Returns the failure of a recording without a working encoder: there is no ffmpeg, it failed, or too many encoders run. */
function noEncoder(): CommandFailure {
  return new CommandFailure('ERROR: unable to create video/avc codec instance', { bare: true });
}
