import type { Size } from './geometry.js';
import { ticking, type Motion } from './motion.js';
import type { Align, Painter } from './painter.js';
import type { TextStyle } from './text-layout.js';
import { theme } from './theme.js';
import { View, type LayoutContext, type ViewOptions } from './view.js';

export interface TextOptions extends ViewOptions {
  /** dp; 16 when absent. */
  size?: number;
  weight?: TextStyle['weight'];
  color?: string;
  align?: Align;
  maxLines?: number;
}

/** A text that wraps. */
export class TextView extends View {
  declare readonly options: TextOptions;
  #text: string;

  constructor(text: string, options: TextOptions = {}) {
    super({ className: 'android.widget.TextView', ...options });
    this.#text = text;
  }

  override textAt(_nowMs: number): string {
    return this.#text;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    this.changed({ layout: true });
  }

  protected style(): TextStyle {
    return { size: this.options.size ?? 16, weight: this.options.weight ?? 400 };
  }

  protected override measureContent(context: LayoutContext, maxWidth: number, _maxHeight: number): Size {
    const text = this.textAt(context.nowMs);
    const laid = context.text.layout(text, this.style(), context.fontScale, maxWidth, this.options.maxLines);
    return { width: Math.ceil(laid.width * 8) / 8, height: laid.height };
  }

  override paintContent(painter: Painter): void {
    const pad = this.padding;
    const width = this.width - pad.left - pad.right;
    const text = this.textAt(painter.nowMs);
    const laid = painter.drawing.text.layout(text, this.style(), painter.fontScale, width + 0.2, this.options.maxLines);
    const spare = this.height - pad.top - pad.bottom - laid.height;
    const color = this.enabled ? (this.options.color ?? theme.text) : theme.disabled;
    painter.text(laid, pad.left, pad.top + Math.max(0, spare / 2), color, width, this.options.align ?? 'start');
  }
}

export function text(content: string, options: TextOptions = {}): TextView {
  return new TextView(content, options);
}

export interface LiveTextOptions extends TextOptions {
  /** How often the text changes, ms, counted from `startMs`. */
  periodMs: number;
  startMs: number;
}

/** A text that depends on the time, such as that of a stopwatch. It changes for ever, and accessibility is notified of each change. */
export class LiveText extends TextView {
  readonly #of: (nowMs: number) => string;
  readonly #motion: Motion;
  readonly #startMs: number;
  readonly #periodMs: number;

  constructor(of: (nowMs: number) => string, { startMs, periodMs, ...options }: LiveTextOptions) {
    super('', options);
    this.#of = of;
    this.#startMs = startMs;
    this.#periodMs = periodMs;
    this.#motion = ticking(startMs, periodMs, true);
  }

  override textAt(nowMs: number): string {
    // The time is rounded down to whole periods, so that the text stays the same within a period.
    return this.#of(this.#startMs + this.#motion.phase(nowMs) * this.#periodMs);
  }

  override motions(): readonly Motion[] {
    return [...super.motions(), this.#motion];
  }
}
