import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../kit/async/clock.js';
import { FlvVideo } from './flv-video.js';
import type { EncodedPicture, VideoEncoder, VideoEncoders, VideoForm } from './video-encoder.js';

/** Most encoders of a process together; each may use one core. */
const MAX_ENCODERS = 16;

/** An encoder that is busy with a picture for longer than this does not work any more, ms. A picture takes some 10 ms. */
const MAX_PICTURE_MS = 10_000;

/**
 * Largest block of memory that an encoder may allocate, bytes. A picture of 8,192 x 8,192 pixels is refused. A phone's picture has 4 to 16
 * MB.
 */
const MAX_BLOCK_BYTES = 192 * 1024 * 1024;

/** Most characters of an encoder's error output that are kept for the log, from its beginning. */
const MAX_ERROR_CHARS = 2_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Encoders that are `ffmpeg` processes. */
export class FfmpegEncoders implements VideoEncoders {
  readonly #program: string;
  readonly #clock: Clock;
  #open = 0;

  /** `program`: name or path of ffmpeg. If it is not there, the first picture of an encoder fails. */
  constructor(program: string, clock: Clock) {
    this.#program = program;
    this.#clock = clock;
  }

  open(form: VideoForm, signal: AbortSignal): VideoEncoder | undefined {
    if (this.#open >= MAX_ENCODERS || signal.aborted) return undefined;
    this.#open++;
    const child = spawn(this.#program, argumentsFor(form), { stdio: ['pipe', 'pipe', 'pipe'] });
    child.once('close', () => this.#open--);
    return new FfmpegEncoder(child, this.#clock, signal);
  }
}

interface Waiting {
  resolve(picture: EncodedPicture): void;
  reject(error: Error): void;
}

/**
 * An `ffmpeg` process. It ends when its standard input ends. So it also ends with the process that started it, in whichever way that
 * process ends.
 */
class FfmpegEncoder implements VideoEncoder {
  readonly #child: Child;
  readonly #clock: Clock;
  readonly #video = new FlvVideo();
  readonly #signal: AbortSignal;
  readonly #onAbort = (): void => this.close();
  #waiting: Waiting | undefined;
  #printed = '';
  #ended: Error | undefined;

  constructor(child: Child, clock: Clock, signal: AbortSignal) {
    this.#child = child;
    this.#clock = clock;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    child.once('error', (error) => this.#end(error));
    child.once('close', (code) => this.#end(new Error(`the encoder ended with ${code}: ${this.#printed}`)));
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => {
      this.#printed = (this.#printed + chunk.toString('utf8')).slice(0, MAX_ERROR_CHARS);
    });
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  async encode(pixels: Uint8Array): Promise<EncodedPicture> {
    if (this.#ended !== undefined) throw this.#ended;
    const limit = this.#clock.after(MAX_PICTURE_MS, () => this.#end(new Error('the encoder took too long')));
    try {
      return await new Promise<EncodedPicture>((resolve, reject) => {
        this.#waiting = { resolve, reject };
        this.#child.stdin.write(pixels);
      });
    } finally {
      limit.cancel();
    }
  }

  close(): void {
    this.#end(new Error('the encoder was closed'));
  }

  #read(chunk: Buffer): void {
    try {
      for (const picture of this.#video.push(chunk)) {
        this.#waiting?.resolve(picture);
        this.#waiting = undefined;
      }
    } catch (error) {
      this.#end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#waiting?.reject(this.#ended);
    this.#waiting = undefined;
    this.#child.kill('SIGKILL');
  }
}

function argumentsFor({ source, pixels = 'rgba', width, height, fps, bitRate }: VideoForm): string[] {
  const from = `-f rawvideo -pix_fmt ${pixels} -video_size ${source.width}x${source.height} -framerate ${fps}`;
  const scaled = source.width === width && source.height === height ? '' : `-vf scale=${width}:${height}`;
  // With these options, no picture waits for a later one, a still part costs no bits, and key frames come only at the beginning.
  const codec = '-c:v libx264 -preset ultrafast -tune zerolatency -profile:v baseline -pix_fmt yuv420p -threads 1';
  const rate = `-crf 24 -maxrate ${bitRate} -bufsize ${bitRate} -g 1000000`;
  const words = `-hide_banner -loglevel error -max_alloc ${MAX_BLOCK_BYTES} -probesize 32 -analyzeduration 0 -filter_threads 1 ${from} -i pipe:0 -an ${scaled} ${codec} ${rate} -f flv -flush_packets 1 pipe:1`; // prettier-ignore
  return words.split(' ').filter((word) => word !== '');
}
