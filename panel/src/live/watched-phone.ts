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
  /** Whether a frame has been drawn since the connection was opened. */
  hasFrame: boolean;
  /** The format in which the server sends the screen; undefined before it is known. */
  format: FrameFormat['format'] | undefined;
  /** The reason why there is no picture, or why input was refused. */
  error: string | undefined;
}

/**
 * The size and quality of pictures. The size suffices for the largest view of a phone in the panel, on screens with two pixels for each
 * point.
 */
const PICTURE = { maxSize: 1280, quality: 75 };

/** Length of the header before the image, in the message of a picture. */
const HEADER_BYTES = 8;

/**
 * Text beyond ASCII that is typed within this time is sent together, ms. A phone needs half a second for such a text, whatever its length.
 */
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
  /** Identifies the latest call of `open`: each call makes a new object. Undefined: nothing is watched. */
  #opened: object | undefined;
  #player: VideoPlayer | undefined;
  /** Whether video failed in this browser, so that the screen is requested as JPEG. */
  #isWithoutVideo = false;
  #next: Blob | undefined;
  #isDrawing = false;
  /** Whether the canvas has a picture of the phone. */
  #isDrawn = false;
  #screen: LiveScreenSize | undefined;
  /** Text that is not sent yet, and the timer that sends it. */
  #typed = '';
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #mirrors: () => readonly WatchedPhone[] = () => [];
  #onInput: () => void = () => undefined;

  /** `shareToken`: the token of the share with which the phone is watched. */
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

  /**
   * Sends input after the text that was typed before. The phones that mirror this one get the same input, at the same place of their
   * screens.
   */
  send(events: readonly InputEvent[]): void {
    const all = this.#typed === '' ? events : [{ text: { text: this.#typed } }, ...events];
    this.#typed = '';
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#onInput();
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

  /** Makes every input here go also to the phones that `mirrors` returns. */
  mirrorTo(mirrors: () => readonly WatchedPhone[]): void {
    this.#mirrors = mirrors;
  }

  /** Sets what is called at each touch, key and text. */
  setOnInput(onInput: () => void): void {
    this.#onInput = onInput;
  }

  /** Sets the canvas on which frames are drawn; null: none. */
  drawOn(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
    this.#isDrawn = false;
  }

  /** Returns the picture that is shown now, as a JPEG whose longer side has at most `sidePx` pixels; undefined when none was drawn. */
  async picture(sidePx: number): Promise<Blob | undefined> {
    const shown = this.#canvas;
    if (shown === null || !this.#isDrawn) return undefined;
    const scale = Math.min(1, sidePx / Math.max(shown.width, shown.height));
    const small = document.createElement('canvas');
    small.width = Math.round(shown.width * scale);
    small.height = Math.round(shown.height * scale);
    small.getContext('2d', { alpha: false })?.drawImage(shown, 0, 0, small.width, small.height);
    return new Promise((resolve) => small.toBlob((blob) => resolve(blob ?? undefined), 'image/jpeg', 0.8));
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
        this.#onDrawn();
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

  #onDrawn(): void {
    this.#isDrawn = this.#canvas !== null;
    this.#onStatus({ hasFrame: true });
  }

  /** Draws one image at a time, and then the newest of the images that came meanwhile. */
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
      this.#onDrawn();
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
