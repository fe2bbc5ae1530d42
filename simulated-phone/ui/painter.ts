import type { Image, SKRSContext2D } from '@napi-rs/canvas';
import type { Drawing } from './drawing.js';
import { fontFor } from './fonts.js';
import type { IconName } from './icons.js';
import { printable, type TextLayout } from './text-layout.js';

export interface PainterOptions {
  context: SKRSContext2D;
  drawing: Drawing;
  /** Picture pixels per dp. */
  scale: number;
  fontScale: number;
  /** Monotonic time the picture shows. */
  nowMs: number;
}

/** Draws in dp from an origin that can be moved. Lines and boxes end at whole pixels, so they are sharp at every density. */
export class Painter {
  readonly context: SKRSContext2D;
  readonly drawing: Drawing;
  readonly scale: number;
  readonly fontScale: number;
  /** The time the picture shows; see `asOf`. */
  nowMs: number;
  x = 0;
  y = 0;
  /** Opacity of everything that is drawn now, 0 to 1. */
  alpha = 1;
  #font = '';

  constructor({ context, drawing, scale, fontScale, nowMs }: PainterOptions) {
    this.context = context;
    this.drawing = drawing;
    this.scale = scale;
    this.fontScale = fontScale;
    this.nowMs = nowMs;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.textBaseline = 'alphabetic';
    context.textAlign = 'left';
  }

  pxX(x: number): number {
    return Math.round((this.x + x) * this.scale);
  }

  pxY(y: number): number {
    return Math.round((this.y + y) * this.scale);
  }

  fade(alpha: number, draw: () => void): void {
    const before = this.alpha;
    this.alpha = before * alpha;
    this.context.globalAlpha = this.alpha;
    try {
      draw();
    } finally {
      this.alpha = before;
      this.context.globalAlpha = before;
    }
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void, radius = 0): void {
    const { context } = this;
    context.save();
    context.beginPath();
    if (radius > 0) this.#roundRect(x, y, width, height, radius);
    else {
      const left = this.pxX(x);
      const top = this.pxY(y);
      context.rect(left, top, this.pxX(x + width) - left, this.pxY(y + height) - top);
    }
    context.clip();
    this.#untilRestored(draw);
  }

  /** Draws all of `draw` larger or smaller around a point, for windows that open. */
  zoom(factor: number, aboutX: number, aboutY: number, draw: () => void): void {
    const { context } = this;
    const x = this.pxX(aboutX);
    const y = this.pxY(aboutY);
    context.save();
    context.translate(x, y);
    context.scale(factor, factor);
    context.translate(-x, -y);
    this.#untilRestored(draw);
  }

  /** Draws all of `draw` as it was at another time. */
  asOf(nowMs: number, draw: () => void): void {
    const before = this.nowMs;
    this.nowMs = nowMs;
    try {
      draw();
    } finally {
      this.nowMs = before;
    }
  }

  /** Draws all of `draw` smaller, from the present origin. */
  shrink(factor: number, draw: () => void): void {
    const { context, x, y } = this;
    context.save();
    context.translate(this.pxX(0), this.pxY(0));
    context.scale(factor, factor);
    this.x = 0;
    this.y = 0;
    this.#untilRestored(draw);
    this.x = x;
    this.y = y;
  }

  /** Draws, then restores the canvas as it was at its last `save`. It does so also when `draw` fails, as canvases are used again. */
  #untilRestored(draw: () => void): void {
    try {
      draw();
    } finally {
      this.context.restore();
      this.#font = '';
    }
  }

  fill(x: number, y: number, width: number, height: number, color: string, radius = 0): void {
    const { context } = this;
    context.fillStyle = color;
    if (radius > 0) {
      context.beginPath();
      this.#roundRect(x, y, width, height, radius);
      context.fill();
      return;
    }
    const left = this.pxX(x);
    const top = this.pxY(y);
    context.fillRect(left, top, Math.max(1, this.pxX(x + width) - left), Math.max(1, this.pxY(y + height) - top));
  }

  outline(x: number, y: number, width: number, height: number, color: string, lineWidth: number, radius: number): void {
    const { context } = this;
    const line = Math.max(1, Math.round(lineWidth * this.scale));
    const inset = line / 2 / this.scale;
    context.strokeStyle = color;
    context.lineWidth = line;
    context.beginPath();
    this.#roundRect(x + inset, y + inset, width - 2 * inset, height - 2 * inset, Math.max(0, radius - inset), true);
    context.stroke();
  }

  circle(centerX: number, centerY: number, radius: number, color: string): void {
    const { context, scale } = this;
    context.fillStyle = color;
    context.beginPath();
    context.arc((this.x + centerX) * scale, (this.y + centerY) * scale, radius * scale, 0, Math.PI * 2);
    context.fill();
  }

  /** Draws an arc. Angles are in turns, clockwise from the top. */
  arc(
    centerX: number,
    centerY: number,
    radius: number,
    from: number,
    to: number,
    color: string,
    lineWidth: number,
  ): void {
    const { context, scale } = this;
    const angle = (turn: number): number => (turn - 0.25) * Math.PI * 2;
    context.strokeStyle = color;
    context.lineWidth = lineWidth * scale;
    context.lineCap = 'round';
    context.beginPath();
    context.arc((this.x + centerX) * scale, (this.y + centerY) * scale, radius * scale, angle(from), angle(to));
    context.stroke();
    context.lineCap = 'butt';
  }

  polygon(points: readonly (readonly [x: number, y: number])[], color: string): void {
    const { context, scale } = this;
    context.fillStyle = color;
    context.beginPath();
    points.forEach(([x, y], at) => {
      if (at === 0) context.moveTo((this.x + x) * scale, (this.y + y) * scale);
      else context.lineTo((this.x + x) * scale, (this.y + y) * scale);
    });
    context.closePath();
    context.fill();
  }

  icon(name: IconName, x: number, y: number, size: number, color: string, weight = 2): void {
    const { context } = this;
    const { path, filled } = this.drawing.icon(name);
    const factor = (size * this.scale) / 24;
    context.save();
    context.translate(this.pxX(x), this.pxY(y));
    context.scale(factor, factor);
    if (filled) {
      context.fillStyle = color;
      context.fill(path);
    } else {
      context.strokeStyle = color;
      context.lineWidth = weight;
      context.lineCap = 'round';
      context.lineJoin = 'round';
      context.stroke(path);
    }
    context.restore();
    this.#font = '';
  }

  image(image: Image, x: number, y: number, width: number, height: number): void {
    const left = this.pxX(x);
    const top = this.pxY(y);
    this.context.drawImage(image, left, top, this.pxX(x + width) - left, this.pxY(y + height) - top);
  }

  /** Draws one run of text with its baseline at `baseline`. `size` is final: the font scale is not applied again. */
  run(text: string, x: number, baseline: number, size: number, weight: number, color: string, rtl = false): void {
    const { context, scale } = this;
    const shown = printable(text);
    const font = fontFor(shown, weight, size * scale);
    if (font !== this.#font) {
      context.font = font;
      this.#font = font;
    }
    context.fillStyle = color;
    if (rtl) context.direction = 'rtl';
    context.fillText(shown, this.pxX(x), this.pxY(baseline));
    if (rtl) context.direction = 'ltr';
  }

  /** Draws a laid out text with its top left at (x, y), and its lines placed within `width`. */
  text(layout: TextLayout, x: number, y: number, color: string, width = layout.width, align: Align = 'start'): void {
    layout.lines.forEach((line, at) => {
      const spare = width - line.width;
      const isAtEnd = align === 'end' || (align === 'start' && line.rtl);
      const shift = align === 'center' ? spare / 2 : isAtEnd ? spare : 0;
      const baseline = y + at * layout.lineHeight + layout.lineHeight / 2 + layout.size * 0.355;
      this.run(line.text, x + shift, baseline, layout.size, layout.weight, color, line.rtl);
    });
  }

  /** Draws a short text centred on a point, without the font scale, for keys and bars. */
  label(text: string, centerX: number, centerY: number, size: number, weight: 400 | 500 | 700, color: string): void {
    const width = this.drawing.text.width(text, size, weight);
    this.run(text, centerX - width / 2, centerY + size * 0.355, size, weight, color);
  }

  #roundRect(x: number, y: number, width: number, height: number, radius: number, exact = false): void {
    const { scale, context } = this;
    if (exact) {
      const left = (this.x + x) * scale;
      const top = (this.y + y) * scale;
      context.roundRect(left, top, width * scale, height * scale, radius * scale);
      return;
    }
    const left = this.pxX(x);
    const top = this.pxY(y);
    context.roundRect(left, top, this.pxX(x + width) - left, this.pxY(y + height) - top, radius * scale);
  }
}

export type Align = 'start' | 'center' | 'end';
