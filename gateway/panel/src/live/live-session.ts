import { Fingers } from './fingers.ts';
import { type InputEvent, LiveConnection, type LiveScreenSize, type LiveState } from './live-connection.ts';
import { scaled } from './scaled.ts';

/** The state of a live screen. */
export interface LiveStatus {
  state: LiveState;
  screen: LiveScreenSize | undefined;
  /** Whether a frame has been drawn since the connection is open. */
  hasFrame: boolean;
  /** Why there is no picture, or input was refused. */
  error: string | undefined;
}

/** Wide enough for the largest size that the panel shows a phone at, on screens with two pixels a point. */
const PICTURE = { maxSize: 1280, quality: 75 };

/** Text beyond ASCII takes a phone half a second, whatever its length; letters typed within this time go together, ms. */
const GATHER_MS = 300;

/** A watched phone: draws its frames on a canvas, and sends touches and text to the phone. */
export class LiveSession {
  readonly fingers: Fingers;
  readonly #name: string;
  readonly #onStatus: (change: Partial<LiveStatus>) => void;
  readonly #onGone: () => void;
  #canvas: HTMLCanvasElement | null = null;
  #connection: LiveConnection | undefined;
  #next: Blob | undefined;
  #isDrawing = false;
  #screen: LiveScreenSize | undefined;
  /** Text that is not sent yet, and when it will be. */
  #typed = '';
  #gathering: ReturnType<typeof setTimeout> | undefined;
  #mirrors: () => readonly LiveSession[] = () => [];

  constructor(name: string, onStatus: (change: Partial<LiveStatus>) => void, onGone: () => void) {
    this.#name = name;
    this.#onStatus = onStatus;
    this.#onGone = onGone;
    this.fingers = new Fingers(
      () => this.#canvas?.getBoundingClientRect(),
      (events) => this.send(events),
    );
  }

  /** Sends input after the text typed before, to the sessions that mirror this one too: there at the same place of their screens. */
  send(events: readonly InputEvent[]): void {
    const all = this.#typed === '' ? events : [{ text: { text: this.#typed } }, ...events];
    this.#typed = '';
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#connection?.send(all);
    for (const other of this.#mirrors()) other.#connection?.send(scaled(all, this.#screen, other.#screen));
  }

  /** Types text of any script, also in the sessions that mirror this one. */
  type(text: string): void {
    this.#typed += text;
    if (/^[\x20-\x7e]*$/.test(this.#typed)) this.send([]);
    else this.#gathering ??= setTimeout(() => this.send([]), GATHER_MS);
  }

  /** From now on, every input here goes to the sessions that `mirrors` returns, too. */
  mirrorTo(mirrors: () => readonly LiveSession[]): void {
    this.#mirrors = mirrors;
  }

  /** Where frames are drawn; null: nowhere. */
  drawOn(canvas: HTMLCanvasElement | null): void {
    this.#canvas = canvas;
  }

  open(): void {
    this.#connection = new LiveConnection(this.#name, PICTURE, {
      onState: (state) => this.#onStatus({ state, ...(state === 'closed' && { hasFrame: false }) }),
      onGone: this.#onGone,
      onScreen: (screen) => {
        this.#screen = screen;
        this.fingers.setScreen(screen);
        this.#onStatus({ screen });
      },
      onFrame: (image) => {
        this.#next = image;
        if (!this.#isDrawing) void this.#draw();
      },
      onError: (error) => this.#onStatus({ error }),
    });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
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
      drawOn(this.#canvas, bitmap);
      bitmap.close();
      this.#onStatus({ hasFrame: true });
    }
    this.#isDrawing = false;
  }
}

function drawOn(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (canvas === null) return;
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
  }
  canvas.getContext('2d', { alpha: false })?.drawImage(bitmap, 0, 0);
}
