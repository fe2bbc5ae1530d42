import { clamp } from './geometry.js';
import type { Painter } from './painter.js';
import { View, type ViewOptions, type ViewTouch } from './view.js';

export interface ZoomViewOptions extends ViewOptions {
  /** The content's name, for the content description: `Map, zoom 1.0`. */
  subject: string;
  /** Draws the whole content at `scale` times its size, with its corner at 0, 0. */
  draw: (painter: Painter, scale: number) => void;
  /** Size of the whole content at scale 1, dp. */
  content: { width: number; height: number };
}

const MIN_ZOOM = 1;
const MAX_ZOOM = 8;

/** Android's double-tap timeout, ms, and the largest distance between the two taps, dp. */
const DOUBLE_TAP_MS = 300;
const DOUBLE_TAP_DP = 50;
const TAP_SLOP_DP = 8;

interface Point {
  x: number;
  y: number;
}

/**
 * A picture that one finger moves and two fingers zoom. A double tap doubles its size. At the largest size, a double tap makes it small
 * again.
 */
export class ZoomView extends View {
  readonly #zoom: ZoomViewOptions;
  readonly #fingers = new Map<number, Point>();
  #scale = MIN_ZOOM;
  /** The content's corner, dp from that of the view. */
  #corner: Point = { x: 0, y: 0 };
  #tap: { start: Point; isTap: boolean } | undefined;
  #lastTap: { ms: number; at: Point } | undefined;

  constructor(options: ZoomViewOptions) {
    super({ className: 'android.widget.ImageView', clips: true, ...options });
    this.#zoom = options;
  }

  override get description(): string {
    return `${this.#zoom.subject}, zoom ${this.#scale.toFixed(1)}`;
  }

  override touch({ phase, x, y, pointer }: ViewTouch): boolean {
    if (phase === 'down') {
      this.#fingers.set(pointer, { x, y });
      this.#tap = this.#fingers.size === 1 ? { start: { x, y }, isTap: true } : undefined;
    } else if (phase === 'move') this.#move(pointer, { x, y });
    else {
      if (phase === 'up') this.#move(pointer, { x, y });
      this.#fingers.delete(pointer);
      if (phase === 'up' && this.#tap?.isTap === true) this.#tapped({ x, y });
      this.#tap = undefined;
    }
    return true;
  }

  #move(pointer: number, to: Point): void {
    const from = this.#fingers.get(pointer);
    if (!from) return;
    if (this.#tap && distance(this.#tap.start, to) > TAP_SLOP_DP) this.#tap.isTap = false;
    const [other] = [...this.#fingers].filter(([id]) => id !== pointer).map(([, at]) => at);
    this.#fingers.set(pointer, to);
    if (!other) {
      if (this.#tap?.isTap !== true)
        this.#set(this.#scale, this.#corner.x + to.x - from.x, this.#corner.y + to.y - from.y);
      return;
    }
    // The point under the middle of the fingers stays under it.
    const before = { x: (from.x + other.x) / 2, y: (from.y + other.y) / 2 };
    const after = { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 };
    const apart = distance(from, other);
    const factor = apart < 1 ? 1 : distance(to, other) / apart;
    this.#zoomAround(before, after, this.#scale * factor);
  }

  #tapped(at: Point): void {
    const nowMs = this.host?.nowMs ?? 0;
    const last = this.#lastTap;
    this.#lastTap = { ms: nowMs, at };
    if (!last || nowMs - last.ms > DOUBLE_TAP_MS || distance(last.at, at) > DOUBLE_TAP_DP) return;
    this.#lastTap = undefined;
    this.#zoomAround(at, at, this.#scale >= MAX_ZOOM ? MIN_ZOOM : this.#scale * 2);
  }

  #zoomAround(before: Point, after: Point, wanted: number): void {
    const scale = clamp(wanted, MIN_ZOOM, MAX_ZOOM);
    const factor = scale / this.#scale;
    const { x, y } = this.#corner;
    this.#set(scale, after.x - (before.x - x) * factor, after.y - (before.y - y) * factor);
  }

  #set(scale: number, x: number, y: number): void {
    const { width, height } = this.#zoom.content;
    const corner = {
      x: clamp(x, Math.min(0, this.width - width * scale), 0),
      y: clamp(y, Math.min(0, this.height - height * scale), 0),
    };
    if (scale === this.#scale && corner.x === this.#corner.x && corner.y === this.#corner.y) return;
    this.#scale = scale;
    this.#corner = corner;
    this.changed();
  }

  override paintContent(painter: Painter): void {
    const { x, y } = this.#corner;
    painter.clip(0, 0, this.width, this.height, () => {
      painter.x += x;
      painter.y += y;
      this.#zoom.draw(painter, this.#scale);
      painter.x -= x;
      painter.y -= y;
    });
  }
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
