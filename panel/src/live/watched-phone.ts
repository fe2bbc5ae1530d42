import { Fingers } from './fingers.ts';
import {
  type FrameFormat,
  type InputEvent,
  LiveConnection,
  type LiveScreenSize,
  type LiveState,
} from './live-connection.ts';
import { scaled } from './scaled.ts';
import { decodesVideo, VideoPlayer } from './video-player.ts';

/** The state of a live screen. */
export interface LiveStatus {
  state: LiveState;
  screen: LiveScreenSize | undefined;
  /** Whether a frame has been drawn since the connection is open. */
  hasFrame: boolean;
  /** The form in which the screen comes; undefined before it is known. */
  format: FrameFormat['format'] | undefined;
  /** Why there is no picture, or input was refused. */
  error: string | undefined;
}

/** Wide enough for the largest size that the panel shows a phone at, on screens with two pixels a point. */
const PICTURE = { maxSize: 1280, quality: 75 };

/** Of the message of a picture, before the image. */
const HEADER_BYTES = 8;

/** Text beyond ASCII takes a phone half a second, whatever its length; letters typed within this time go together, ms. */
const GATHER_MS = 300;

/** A watched phone: draws its frames on a canvas, and sends touches and text to the phone. */
export class WatchedPhone {
  readonly fingers: Fingers;
  readonly #name: string;
  readonly #shareToken: string | undefined;
  readonly #onStatus: (change: Partial<LiveStatus>) => void;
  readonly #onGone: () => void;
  #canvas: HTMLCanvasElement | null = null;
  #connection: LiveConnection | undefined;
  /** Undefined: nothing is watched. Another object for each time that it is opened. */
  #opened: object | undefined;
  #player: VideoPlayer | undefined;
  /** Video did not work here. */
  #isWithoutVideo = false;
  #next: Blob | undefined;
  #isDrawing = false;
  #screen: LiveScreenSize | undefined;
  /** Text that is not sent yet, and when it will be. */
  #typed = '';
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #mirrors: () => readonly WatchedPhone[] = () => [];

  /** `shareToken`: who watches by a share. */
  constructor(name: string, onStatus: (change: Partial<LiveStatus>) => void, onGone: () => void, shareToken?: string) {
    this.#name = name;
    this.#shareToken = shareToken;
    this.#onStatus = onStatus;
    this.#onGone = onGone;
    this.fingers = new Fingers(
      () => this.#canvas?.getBoundingClientRect(),
      (events) => this.send(events),
    );
  }

  /** Sends input after the text typed before, to the phones that mirror this one too: there at the same place of their screens. */
  send(events: readonly InputEvent[]): void {
    const all = this.#typed === '' ? events : [{ text: { text: this.#typed } }, ...events];
    this.#typed = '';
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#connection?.send(all);
    for (const other of this.#mirrors()) other.#connection?.send(scaled(all, this.#screen, other.#screen));
  }

  /** Types text of any script, also on the phones that mirror this one. */
  type(text: string): void {
    this.#typed += text;
    if (/^[\x20-\x7e]*$/.test(this.#typed)) this.send([]);
    else this.#gathering ??= setTimeout(() => this.send([]), GATHER_MS);
  }

  /** Presses Ctrl and a letter together. */
  pressCtrl(letter: string): void {
    const ctrl = 'CTRL_LEFT';
    this.send([
      { key: { name: ctrl, phase: 'down' } },
      { key: { name: letter.toUpperCase() } },
      { key: { name: ctrl, phase: 'up' } },
    ]);
  }

  /** From now on, every input here goes to the phones that `mirrors` returns, too. */
  mirrorTo(mirrors: () => readonly WatchedPhone[]): void {
    this.#mirrors = mirrors;
  }

  /** Where frames are drawn; null: nowhere. */
  drawOn(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
  }

  open(): void {
    const opened = {};
    this.#opened = opened;
    void decodesVideo().then((can) => {
      if (this.#opened === opened) this.#connect(can && !this.#isWithoutVideo ? 'auto' : 'jpeg');
    });
  }

  close(): void {
    this.#opened = undefined;
    this.#connection?.close();
    this.#connection = undefined;
    this.#setFormat(undefined);
  }

  #connect(format: 'auto' | 'jpeg'): void {
    this.#connection = new LiveConnection(
      this.#name,
      { format, ...PICTURE, shareToken: this.#shareToken },
      {
        onState: (state) => this.#onStatus({ state, ...(state === 'closed' && { hasFrame: false }) }),
        onGone: this.#onGone,
        onScreen: (screen) => {
          this.#screen = screen;
          this.fingers.setScreen(screen);
          this.#onStatus({ screen });
        },
        onFormat: (now) => this.#setFormat(now),
        onFrame: (message) => {
          if (this.#player !== undefined) {
            this.#player.play(message);
            return;
          }
          this.#next = new Blob([new Uint8Array(message, HEADER_BYTES)]);
          if (!this.#isDrawing) void this.#draw();
        },
        onError: (error) => this.#onStatus({ error }),
      },
    );
  }

  #setFormat(now: FrameFormat | undefined): void {
    this.#onStatus({ format: now?.format });
    if (now?.format !== 'h264') {
      this.#player?.close();
      this.#player = undefined;
      return;
    }
    this.#next = undefined;
    this.#player ??= new VideoPlayer({
      onPicture: (picture) => {
        drawOn(this.#canvas, picture, { width: picture.displayWidth, height: picture.displayHeight });
        picture.close();
        this.#onStatus({ hasFrame: true });
      },
      onError: () => this.#goOnWithoutVideo(),
    });
    this.#player.begin(now.codec);
  }

  #goOnWithoutVideo(): void {
    if (this.#opened === undefined) return;
    this.#isWithoutVideo = true;
    this.close();
    this.open();
  }

  /** Draws one image at a time, and of those that come meanwhile the newest. */
  async #draw(): Promise<void> {
    this.#isDrawing = true;
    while (this.#next !== undefined) {
      const image = this.#next;
      this.#next = undefined;
      // An image that cannot be decoded is skipped; the next one is complete.
      const bitmap = await createImageBitmap(image).catch(() => undefined);
      if (bitmap === undefined) continue;
      drawOn(this.#canvas, bitmap, bitmap);
      bitmap.close();
      this.#onStatus({ hasFrame: true });
    }
    this.#isDrawing = false;
  }
}

function drawOn(
  canvas: HTMLCanvasElement | null,
  picture: CanvasImageSource,
  { width, height }: { width: number; height: number },
): void {
  if (canvas === null) return;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  canvas.getContext('2d', { alpha: false })?.drawImage(picture, 0, 0);
}
